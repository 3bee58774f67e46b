import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { COPIED_TABLES } from '../../src/storage/sql/copy/copied-tables.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { newDatabase } from '../_postgres.ts'
import { workplace, wordsOf, type Served, type Workplace } from './_cli.ts'
import { dataOf } from './_full-site.ts'
import { copy, copyArgs, exported, fillPlace, words } from './_storage-copy.ts'

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
