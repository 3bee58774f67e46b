import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import { copyAll } from '../../src/storage/sql/copy/copy-all.ts'
import { COPIED_TABLES, type CopiedTable } from '../../src/storage/sql/copy/copied-tables.ts'
import type { Column, CopySide } from '../../src/storage/sql/copy/copy-side.ts'
import { verifyCopy } from '../../src/storage/sql/copy/verify-copy.ts'
import type { Statement } from '../../src/storage/sql/statement.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { fillFolder } from '../cli/_full-site.ts'
import { newDatabase } from '../_postgres.ts'
import { connect } from './_postgres-connection.ts'

const { signal } = new AbortController()

/** A side that notes which tables it is asked for rows of. */
function watched(side: CopySide): { side: CopySide; read: Set<string> } {
  const read = new Set<string>()
  const own: CopySide = {
    ...side,
    rows(sql, ...values) {
      if (!sql.startsWith('select max(')) read.add(/\bfrom (\w+)/.exec(sql)?.[1] ?? '')
      return side.rows(sql, ...values)
    },
  }
  return { side: own, read }
}

/** A full storage of each engine, and a copy of it in the other one. */
class Copies implements AsyncDisposable {
  readonly sqlite: Storage
  readonly postgres: Storage
  readonly url: string
  readonly #stack: AsyncDisposableStack

  private constructor(
    sqlite: Storage,
    postgres: Storage,
    url: string,
    stack: AsyncDisposableStack,
  ) {
    this.sqlite = sqlite
    this.postgres = postgres
    this.url = url
    this.#stack = stack
  }

  static async open(): Promise<Copies> {
    await using stack = new AsyncDisposableStack()
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-passes-'))
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    const { url } = stack.use(await newDatabase())
    await fillFolder(folder, { isSealed: false })
    const sqlite = stack.use(await openSqlite(folder))
    const postgres = stack.use(
      await openPostgres(url, { poolSize: 4, statementTimeoutSeconds: 30 }),
    )
    await copyAll(sqlite.copying, postgres.copying, { signal })
    return new Copies(sqlite, postgres, url, stack.move())
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }
}

const update = (sql: string): Statement[] => [{ sql, width: 0, values: [] }]

/** Changes a number beside the key that refers to nothing in one row of a table that has one. */
function changeOf(table: CopiedTable, columns: readonly Column[]): Statement[] {
  const { name, key, computed = [], parts } = table
  const kept = new Set([...key, ...computed, table.parent?.column, 'account_id'])
  const number = columns.find((own) => own.type === 'bigint' && !kept.has(own.name))
  if (number === undefined || parts !== undefined || name === 'meta') return []
  const sql = `update ${name} set ${number.name} = ${number.name} + 1000000
    where ${number.name} = (select max(${number.name}) from ${name})`
  return update(sql)
}

const setFirst = (time: number): string => `update device_contacts set time = ${time}
  where device_id = (select min(device_id) from device_contacts)`

describe('a pass of a copy', () => {
  test('reads no rows of tables that have not changed, and copies those that have', async () => {
    await using copies = await Copies.open()
    for (const [from, to, known] of [
      [copies.sqlite, copies.postgres, 20],
      [copies.postgres, copies.sqlite, COPIED_TABLES.length],
    ] as const) {
      const stamps = new Map<string, string>()
      const columns = await from.copying.listColumns()
      await copyAll(from.copying, to.copying, { signal, stamps })
      const { side, read } = watched(to.copying)
      const isRead = ({ name }: { name: string }): boolean => read.has(name)

      const written = await copyAll(from.copying, side, { signal, stamps })
      const readAgain = COPIED_TABLES.filter(isRead)
      const changed = COPIED_TABLES.filter((table) => !isRead(table)).map((table) =>
        changeOf(table, columns.get(table.name) ?? []),
      )
      await from.copying.write(changed.flat())
      await copyAll(from.copying, side, { signal, stamps })

      assert.equal(written, 0)
      assert.ok(COPIED_TABLES.length - readAgain.length >= known, `${readAgain.length} are read`)
      const { differences } = await verifyCopy(from.copying, to.copying, { signal })
      assert.ok(changed.flat().length >= 15)
      assert.deepEqual(differences, [])
    }
  })

  test('finds what a transaction wrote before and committed after another one', async () => {
    await using copies = await Copies.open()
    const { postgres, sqlite } = copies
    await using slow = await connect(copies.url)
    const names = async (): Promise<unknown[]> =>
      sqlite.copying.rows('select min(time) from device_contacts')
    const stamps = new Map<string, string>()
    await slow.query('begin')
    await slow.query(setFirst(-2))
    await postgres.copying.write(update('update reject_drops set dropped = dropped + 1'))
    await postgres.copying.write(
      update(`update device_contacts set time = -1 where device_id =
        (select max(device_id) from device_contacts)`),
    )

    await copyAll(postgres.copying, sqlite.copying, { signal, stamps })
    const before = await names()
    await slow.query('commit')
    await copyAll(postgres.copying, sqlite.copying, { signal, stamps })

    assert.deepEqual([before, await names()], [[[-1]], [[-2]]])
  })
})
