import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { countTables } from '../../src/storage/sql/copy/measure-tables.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { newDatabase } from '../_postgres.ts'
import { randomNumbers, runs } from '../_random.ts'
import { connect } from '../storage/_postgres-connection.ts'
import { workplace } from './_cli.ts'
import { dataOf, DAYS, START, strains } from './_full-site.ts'
import { copy, copyArgs, DAY, exported, fillPlace, openUrl } from './_storage-copy.ts'

/** More than the open days of the site. */
const OPEN_DAYS = 60

async function countRows(open: () => Promise<Storage>): Promise<number> {
  await using storage = await open()
  return await countTables(storage.copying)
}

const BEGUN = 'select count(*) from site_entries'

type StoredRow = [source: number, time: number, record: string]

/** Alters a row behind the back of the service; returns it as it was. */
function alter(file: string, find: string, update: string): StoredRow {
  using database = disposable(new Sqlite(file))
  const row = database.prepare<[], StoredRow>(find).raw().get()
  assert.ok(row !== undefined)
  const [source, time] = row
  assert.equal(database.prepare(update).run(source, time).changes, 1)
  return row
}

function restore(file: string, [source, time, record]: StoredRow): void {
  using database = disposable(new Sqlite(file))
  database
    .prepare('update theme_records set record = ? where source = ? and time = ?')
    .run(record, source, time)
}

const disposable = (database: Sqlite.Database): Sqlite.Database & Disposable =>
  Object.assign(database, { [Symbol.dispose]: () => void database.close() })

/** Whether a target has rows, which is found without disturbing the copy. */
async function isBegun(url: string): Promise<boolean> {
  try {
    await using connection = await connect(url)
    return Number((await connection.query(BEGUN)).rows[0]?.['count']) > 0
  } catch {
    return false
  }
}

function isFolderBegun(folder: string): boolean {
  try {
    using database = closing(new Sqlite(join(folder, 'plumbline.db'), { readonly: true }))
    return Number(database.prepare(BEGUN).pluck().get()) > 0
  } catch {
    return false
  }
}

const closing = (database: Sqlite.Database): Sqlite.Database & Disposable =>
  Object.assign(database, { [Symbol.dispose]: () => void database.close() })

describe('storage copy that meets a fault', () => {
  test('continues after it was killed at any moment', async () => {
    await using database = await newDatabase()
    await using place = await workplace()
    await fillPlace(place)
    const random = randomNumbers()
    const there = copyArgs('data', database.url)
    const back = copyArgs(database.url, 'back')

    const openThere = () => openUrl(database.url)
    const openBack = () => openSqlite(join(place.folder, 'back'))
    for (const [args, open, target, hasRows] of [
      [there, () => openSqlite(dataOf(place.folder)), openThere, () => isBegun(database.url)],
      [back, openThere, openBack, async () => isFolderBegun(join(place.folder, 'back'))],
    ] as const) {
      {
        // A source that is in use keeps the runs from ending.
        await using _service = await open()
        for (let killed = 0; killed < runs(15, 3); killed++) {
          const run = place.begin(args)
          // The target has something after the first run began to copy.
          while (!(await hasRows())) await sleep(20)
          await sleep(random() * 600 + (killed === 0 ? 0 : 600))
          run.kill()
          await run.ended
        }
      }
      // The server may need a moment to notice that the last run was killed.
      await sleep(1_000)
      const total = await countRows(open)
      const present = await countRows(target)
      const last = await place.run(args)
      assert.equal(last.code, 0, last.stderr)
      const [, rows = ''] =
        /^Continuing the copy to .*\.\nCopied ([\d,]+) rows? in/.exec(last.stdout) ?? []
      const written = Number(rows.replaceAll(',', ''))
      assert.notEqual(rows, '', last.stdout)
      // Nothing is written again but the states of open days.
      assert.ok(written <= total - present + OPEN_DAYS, `${written} of ${total}, ${present} before`)
    }

    const expected = await exported(place)
    assert.equal(await exported(place, '--storage', database.url), expected)
    assert.equal(await exported(place, '--data', 'back'), expected)
    const [old, moved] = [
      await place.run(['doctor']),
      await place.run(['doctor', '--data', 'back']),
    ]
    assert.equal(moved.stdout, old.stdout)
  })

  test('takes the rest when the service, which goes on taking data, has stopped', async () => {
    await using database = await newDatabase()
    await using place = await workplace()
    await fillPlace(place)
    const service = await openSqlite(dataOf(place.folder))
    const first = await place.run(copyArgs('data', database.url, '--no-wait'))
    const refused = await place.run(['app', 'list', '--storage', database.url])
    const checked = await place.run(['doctor', '--storage', database.url])
    const end = START + DAYS * DAY
    await service.records.write({ theme: strains(1001, end, 50) })
    await service.records.write({ theme: strains(1002, START + 1000, 3) })

    const copying = place.begin(copyArgs('data', database.url, '--json'))
    for (let batch = 1; batch <= 20; batch++) {
      await service.records.write({ theme: strains(1002, end + batch * DAY, 50) })
      await sleep(100)
    }
    await service[Symbol.asyncDispose]()
    const { code, stdout, stderr } = await copying.ended

    assert.match(first.stdout, /^Copied [\d,]+ rows\. sqlite:data is in use: stop its service/)
    for (const { code, stderr } of [refused, checked]) {
      assert.equal(code, 1)
      assert.match(stderr, /is the target of a copy that is not finished/)
    }
    assert.equal(code, 0, stderr)
    assert.equal(JSON.parse(stdout).isComplete, true)
    assert.equal(await exported(place, '--storage', database.url), await exported(place))
  })

  test('ends when it is interrupted while it waits for the service', async () => {
    await using place = await workplace()
    await fillPlace(place)
    await using _service = await openSqlite(dataOf(place.folder))

    const copying = place.begin(copyArgs('data', 'new'))
    await copying.printed(/Stop the service and all commands that use sqlite:data;/)
    copying.interrupt()
    const { code, stderr } = await copying.ended

    assert.equal(code, 1)
    assert.match(stderr, /^Stopped\. Run the same command again to continue\.$/m)
  })

  test('finds what is not the same, names it, and copies it anew', async () => {
    await using database = await newDatabase()
    await using place = await workplace()
    await fillPlace(place)
    {
      await using _service = await openSqlite(dataOf(place.folder))
      assert.equal((await place.run(copyArgs('data', database.url, '--no-wait'))).code, 0)
    }
    {
      await using connection = await connect(database.url)
      await connection.query(`delete from theme_records where source = 1001 and time =
        (select max(time) from theme_records where source = 1001)`)
      await connection.query(`update waveform_chunks set samples = '\\x00' where id = 7`)
    }

    const found = await place.run(copyArgs('data', database.url))

    assert.equal(found.code, 1)
    assert.match(
      found.stderr,
      /^chunks? of waveforms|the chunks of waveforms of the target are not/m,
    )
    assert.match(found.stderr, /^station 1001: the source has \d+ records, the target \d+$/m)
    {
      await using connection = await connect(database.url)
      await connection.query(`delete from waveform_chunks where id = 7`)
    }
    assert.equal((await copy(place, 'data', database.url))['isComplete'], true)
  })

  test('names what is damaged in the source, and copies it once it is restored', async () => {
    await using database = await newDatabase()
    await using place = await workplace()
    await fillPlace(place)
    const file = join(dataOf(place.folder), 'plumbline.db')
    const undamaged = alter(
      file,
      `select source, time, record from theme_records where source = 1001 order by time desc limit 1`,
      `update theme_records set record = replace(record, '2', '3') where source = ? and time = ?`,
    )

    const found = await place.run(copyArgs('data', database.url))
    const used = await place.run(['app', 'list', '--storage', database.url])
    restore(file, undamaged)

    assert.equal(found.code, 1)
    assert.match(found.stderr, /^The source is damaged:\nstation 1001: /m)
    assert.match(found.stderr, /Restore what is damaged from a backup, then run the same command/)
    assert.match(used.stderr, /is the target of a copy that is not finished/)
    assert.equal((await copy(place, 'data', database.url))['isComplete'], true)
    assert.equal(await exported(place, '--storage', database.url), await exported(place))
  })

  test('refuses a target that has other data, is in use, or is the source', async () => {
    await using database = await newDatabase()
    await using other = await newDatabase()
    await using place = await workplace()
    await fillPlace(place)
    await place.json('key', 'create', '--name', 'a', '--storage', database.url)
    {
      await using _use = await openUrl(other.url)
      const used = await place.run(copyArgs('data', other.url))
      assert.equal(used.code, 1)
      assert.match(used.stderr, /^Another program uses the target postgres:/m)
    }

    const foreign = await place.run(copyArgs('data', database.url))
    const dry = await place.run(copyArgs('data', database.url, '--dry-run'))
    const same = await place.run(copyArgs('data', `sqlite:${dataOf(place.folder)}`))

    for (const result of [foreign, dry]) {
      assert.equal(result.code, 1)
      assert.match(result.stderr, /^The target has data already, in the table ingest_keys\./m)
    }
    assert.equal(same.code, 2)
    assert.match(same.stderr, /^--from and --to name the same storage\n/)
  })
})
