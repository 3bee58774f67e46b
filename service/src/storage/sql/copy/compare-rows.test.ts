import assert from 'node:assert/strict'
import { test } from 'node:test'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { compareRows, type KeyRange } from './compare-rows.ts'
import type { CopySide } from './copy-side.ts'

type TestRow = [number: number, text: string, bytes: Buffer | null]

const COLUMNS = ['number', 'text', 'bytes']

/** A side of which only rows are read. */
function sideOf(rows: readonly TestRow[]): Pick<CopySide, 'rows'> & Disposable {
  const database = new Sqlite(':memory:')
  database.exec(
    'create table t (number integer, text text, bytes blob, primary key (number, text))',
  )
  const insert = database.prepare('insert into t values (?, ?, ?)')
  for (const row of rows) insert.run(...row)
  return {
    rows: async <Row extends readonly unknown[]>(sql: string, ...values: readonly unknown[]) =>
      database
        .prepare<unknown[], Row>(sql)
        .raw()
        .all(...values),
    [Symbol.dispose]: () => void database.close(),
  }
}

const row = fc.tuple(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom('', 'a', 'B', 'é', '\u{ff5e}', '🚚'),
  fc.constantFrom(null, Buffer.of(), Buffer.of(0), Buffer.of(0, 1)),
)
const rows = fc.uniqueArray(row, { selector: ([number, text]) => `${number} ${text}` })

const keyOf = ([number, text]: readonly unknown[]): string => JSON.stringify([number, text])

test('differences make the rows of one side those of the other, whatever the pages', async () => {
  await fc.assert(
    fc.asyncProperty(rows, rows, fc.integer({ min: 1, max: 7 }), async (one, other, pageRows) => {
      using from = sideOf(one)
      using to = sideOf(other)
      const table = { name: 't', key: ['number', 'text'] as const, pageRows }
      const changed = new Map(other.map((own) => [keyOf(own), own as readonly unknown[]]))
      const seen = new Set<string>()

      for await (const found of compareRows(from, to, { table, columns: COLUMNS }))
        for (const { kind, row: own } of found) {
          assert.equal(changed.has(keyOf(own)), kind !== 'new')
          // Each place differs once.
          assert.ok(!seen.has(keyOf(own)))
          seen.add(keyOf(own))
          if (kind === 'gone') changed.delete(keyOf(own))
          else changed.set(keyOf(own), own)
        }

      const expected = new Map(one.map((own) => [keyOf(own), own]))
      assert.deepEqual(
        [...changed].toSorted(([a], [b]) => (a < b ? -1 : 1)),
        [...expected].toSorted(([a], [b]) => (a < b ? -1 : 1)),
      )
    }),
  )
})

test('a range has its first key and not its last one', async () => {
  using from = sideOf([1, 2, 3, 4].map((number): TestRow => [number, 'a', null]))
  using to = sideOf([])
  const range: KeyRange = { from: [2, 'a'], until: [4, 'a'] }
  const table = { name: 't', key: ['number', 'text'] as const, pageRows: 1 }

  const found = await Array.fromAsync(compareRows(from, to, { table, columns: COLUMNS, range }))

  assert.deepEqual(
    found.flat().map(({ row: [number] }) => number),
    [2, 3],
  )
})
