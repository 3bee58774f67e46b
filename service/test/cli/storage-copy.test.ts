import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import { COPIED_TABLES } from '../../src/storage/sql/copy/copied-tables.ts'
import { countTables } from '../../src/storage/sql/copy/measure-tables.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { newDatabase } from '../_postgres.ts'
import { randomNumbers, runs } from '../_random.ts'
import { connect } from '../storage/_postgres-connection.ts'
import { workplace, wordsOf, type Served, type Workplace } from './_cli.ts'
import { dataOf, DAYS, fillFolder, START, strains } from './_full-site.ts'

const DAY = 86_400_000

const fillPlace = (place: Workplace): Promise<void> => fillFolder(dataOf(place.folder))

const words = (text: string): string[] => text.split(' ')

const copyArgs = (from: string, to: string, ...more: string[]): string[] => [
  'storage',
  'copy',
  '--from',
  from,
  '--to',
  to,
  ...more,
]

/** Copies to the end. */
async function copy(place: Workplace, from: string, to: string): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await place.run(copyArgs(from, to, '--json'))
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

const openUrl = (url: string): Promise<Storage> =>
  openPostgres(url, { poolSize: 4, statementTimeoutSeconds: 30 })

/** The records of all stations and sensors, as a command exports them. */
async function exported(place: Workplace, ...storage: string[]): Promise<string> {
  const from = new Date(START - DAY).toISOString().slice(0, 10)
  const range = ['--from', from, '--to', '2099-01-01', '--format', 'csv', '--output', '-']
  const { code, stdout, stderr } = await place.run([
    'export',
    '--structure',
    '1',
    ...range,
    ...storage,
  ])
  assert.equal(code, 0, stderr)
  assert.ok(stdout.length > 1000)
  return stdout
}

/** What users of both interfaces see. */
async function responses(place: Workplace, ...args: string[]): Promise<string[]> {
  await using stack = new AsyncDisposableStack()
  const service = await place.serve(['--port', '0', ...args])
  stack.defer(async () => void (await service.stop()))
  const token = tokens.get(place) ?? (await issueToken(place, service))
  const paths = [
    '/api/v1/structures',
    `/api/v1/stations/theme/data?stations=1001,1002&startTime=2026-02-01 00:00:00&endTime=2026-02-07 00:00:00`,
    '/api/v1/users/1/alarms/history/count',
  ]
  return await Promise.all(
    paths.map(async (path) => {
      const headers = { authorization: `Bearer ${token}` }
      const { status, text } = await service.call(encodeURI(path), { headers })
      return `${path} ${status} ${text}`
    }),
  )
}

/** What a service writes to its log between its start and its end. */
async function startLog(place: Workplace, ...args: string[]): Promise<string> {
  const service = await place.serve(['--port', '0', ...args])
  await service.stop()
  return service.output.stderr
}

/** A token of the first service of a place, which is good for the storages that are copied from its own. */
const tokens = new WeakMap<Workplace, string>()

async function issueToken(place: Workplace, service: Served): Promise<string> {
  const application = await place.json<{ appId: string; appSecret: string }>(
    ...words('app create --user 1'),
  )
  const { token } = (await service.issueToken(application)).json<{ token: string }>()
  tokens.set(place, token)
  return token
}

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

describe('storage copy', () => {
  test('moves everything to PostgreSQL and back', async () => {
    await using database = await newDatabase()
    await using place = await workplace()
    await fillPlace(place)
    const before = await exported(place)
    const served = await responses(place)
    const onServer = ['--storage', database.url]

    const there = await copy(place, 'sqlite:data', database.url)
    const servedThere = await responses(place, ...onServer)
    const exportedThere = await exported(place, ...onServer)
    const back = await copy(place, database.url, 'back')

    assert.deepEqual([there['isComplete'], back['isComplete']], [true, true])
    assert.equal(exportedThere, before)
    assert.deepEqual(servedThere, served)
    assert.ok(
      served.every((response) => / 200 /.test(response)),
      served.join('\n'),
    )
    assert.equal(await exported(place, '--data', 'back'), before)
    // The made-up waveforms have no whole samples; everything else is sound, checksums included.
    const [old, moved] = [
      await place.run(['doctor']),
      await place.run(['doctor', '--data', 'back']),
    ]
    assert.equal(moved.stdout, old.stdout)
    assert.equal(wordsOf(moved), wordsOf(old))
    await using first = await openSqlite(dataOf(place.folder))
    await using last = await openSqlite(join(place.folder, 'back'))
    for (const { name, parts } of COPIED_TABLES) {
      const sql = `select count(*) from ${name}`
      const [[expected] = [0]] = await first.copying.rows<[number]>(sql)
      assert.ok(expected > 0 || parts !== undefined, `${name} is empty`)
      if (name === 'meta' || name === 'tokens' || name === 'clock_state') continue
      // The way back leaves a line, too.
      const moved = name === 'audit_lines' ? expected + 1 : expected
      assert.deepEqual(await last.copying.rows<[number]>(sql), [[moved]], name)
    }
    for (const sums of ['alarm_counts', 'reject_bytes'])
      assert.deepEqual(
        await last.copying.rows(`select * from ${sums} order by 1, 2`),
        await first.copying.rows(`select * from ${sums} order by 1, 2`),
      )
  })

  test('leaves a warning in the old storage, and none in the new one', async () => {
    await using database = await newDatabase()
    await using place = await workplace()
    await fillPlace(place)
    const before = await startLog(place, '--data', 'data')
    await copy(place, 'data', database.url)

    const old = await startLog(place, '--data', 'data')
    const moved = await startLog(place, '--data', 'data', '--storage', database.url)

    const words = /This storage was copied to another one at \d{4}-\d\d-\d\d \d\d:\d\d UTC\./
    assert.doesNotMatch(before, words)
    assert.match(old, words)
    assert.doesNotMatch(moved, words)
  })

  test('gives out no id again after the move', async () => {
    await using database = await newDatabase()
    await using place = await workplace()
    await fillPlace(place)
    {
      await using storage = await openSqlite(dataOf(place.folder))
      const [sql, values] = ['delete from maintenance_windows where id > ?', [3]]
      await storage.copying.write([{ sql, width: 1, values }])
    }
    const add = (...args: string[]) =>
      place.json<{ id: number }>(
        ...words('maintenance add --structures 1 --reason x'),
        ...words('--from 2030-01-01T00:00:00Z --to 2030-01-02T00:00:00Z'),
        ...args,
      )

    await copy(place, 'data', database.url)
    const there = await add('--storage', database.url)
    await copy(place, database.url, 'back')
    const back = await add('--data', 'back')

    assert.deepEqual([there.id, back.id], [131, 132])
  })

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

  test('copies an empty storage', async () => {
    await using database = await newDatabase()
    await using place = await workplace()
    await using storage = await openSqlite(dataOf(place.folder))
    await storage[Symbol.asyncDispose]()

    const done = await copy(place, 'data', database.url)

    assert.deepEqual([done['isComplete'], done['records']], [true, 0])
    const { code } = await place.run(['doctor', '--storage', database.url])
    assert.equal(code, 0)
  })

  test('shows what it would copy', async () => {
    await using place = await workplace()
    await fillPlace(place)

    const dry = await place.json<{ tables: { table: string; rows: number }[]; rows: number }>(
      ...copyArgs('data', 'new', '--dry-run'),
    )
    const { code, stdout } = await place.run(copyArgs('data', 'new', '--dry-run'))

    assert.equal(dry.tables.find(({ table }) => table === 'alarms')?.rows, 130)
    assert.equal(code, 0)
    assert.match(stdout, /estimated time \d+ seconds?\.\n\(dry run: nothing was copied\)\n$/)
    const missing = await place.run(['app', 'list', '--data', 'new'])
    assert.match(wordsOf(missing), /^There is no database in new/)
  })

  test('names what is wrong in its flags', async () => {
    await using place = await workplace()
    const file = join(place.folder, 'plumbline.db')
    await writeFile(file, '')
    for (const [args, words] of [
      [['copy'], /^storage copy needs --from with/],
      [['copy', '--from', 'a'], /^storage copy needs --to with/],
      [['copy', '--from', 'mysql://u:geheim@h/d', '--to', 'b'], /^--from must be sqlite:FOLDER/],
      [['copy', '--from', 'a', '--to', 'b', '--to-password-file', 'c'], /is for databases/],
      [['copy', '--from', file, '--to', 'b'], /^--from names the file .*: name the data folder/],
      [[], /^The subcommand is missing; expected: copy, distribute\./],
    ] as const) {
      const { code, stderr } = await place.run(['storage', ...args])
      assert.equal(code, 2)
      assert.match(stderr, words)
      assert.ok(!stderr.includes('geheim'))
    }
  })

  test('says of a source or a password that is wrong which flag to look at', async () => {
    await using database = await newDatabase()
    await using place = await workplace()
    await fillPlace(place)

    const absent = await place.run(copyArgs('nowhere', database.url))
    const unreadable = await place.run(
      copyArgs('data', database.url, '--to-password-file', 'no-password'),
    )

    assert.equal(absent.code, 1)
    assert.match(
      absent.stderr,
      /^There is no storage of Plumbline in sqlite:nowhere: check --from\.$/m,
    )
    assert.equal(unreadable.code, 1)
    assert.match(unreadable.stderr, /--to-password-file/)
    assert.doesNotMatch(unreadable.stderr, /storage\.passwordFile/)
  })
})
