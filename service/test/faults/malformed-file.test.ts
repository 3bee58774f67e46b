import assert from 'node:assert/strict'
import { copyFile, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import Sqlite from 'better-sqlite3'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { startChild, type Child } from '../_child.ts'
import { callHttps } from '../_service.ts'
import { workplace } from '../cli/_cli.ts'
import { newPlace, readRecords, rowsOf } from '../storage/_place.ts'
import { KEY, makeDataFolder, SENSOR, TOKEN } from './_site.ts'

const FILE = 'plumbline.db'
const HEADER_BYTES = 100

/** Turns the first page of a table into one that no table has. */
async function breakTable(folder: string, table: string): Promise<void> {
  const database = new Sqlite(join(folder, FILE))
  const page = database
    .prepare('select rootpage from sqlite_master where name = ?')
    .pluck()
    .get(table) as number
  const size = database.pragma('page_size', { simple: true }) as number
  database.close()
  await overwrite(join(folder, FILE), (page - 1) * size, [0xff])
}

async function overwrite(file: string, offset: number, bytes: number[]): Promise<void> {
  const handle = await open(file, 'r+')
  await handle.write(Uint8Array.from(bytes), 0, bytes.length, offset)
  await handle.close()
}

const write = (child: Child, kind: 'theme' | 'raw', record: object) =>
  callHttps(`${child.origin}/ingest/v1/${kind}`, child.certificate, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      records: [{ time: '2026-01-01 00:00:00', values: { v: 1 }, ...record }],
    }),
  })

const ofStation = (child: Child) => write(child, 'theme', { station: 1 })
const ofSensor = (child: Child) => write(child, 'raw', { sensor: SENSOR })

const get = (child: Child, path: string) =>
  callHttps(`${child.origin}/api/v1/${path}token=${TOKEN}`, child.certificate, {})

/** The same for the second leaf of a table, in which its first rows but some lie. */
async function breakLeaf(folder: string, table: string): Promise<void> {
  const database = new Sqlite(join(folder, FILE))
  const leaf = database
    .prepare(
      `select pgoffset from dbstat where name = ? and pagetype = 'leaf' order by path limit 1 offset 1`,
    )
    .pluck()
    .get(table) as number
  database.close()
  await overwrite(join(folder, FILE), leaf, [0xff])
}

/** Stations 1 and 2 have several leaves each. */
async function fillTwo({ records }: Storage): Promise<void> {
  const times = Array.from({ length: 600 }, (_, at) => at * 1_000)
  for (const station of [1, 2]) await records.write({ theme: rowsOf(station, times) })
}

describe('a malformed table in the database file', () => {
  test('fails requests that read it; the service and its writer serve everything else', async () => {
    await using data = await makeDataFolder()
    await breakTable(data.folder, 'raw_records')
    await using child = await startChild(data.folder)

    const refused = await ofSensor(child)
    const ready = await child.getOps('/health/ready')
    const other = await ofStation(child)
    const structures = await get(child, 'structures?')

    assert.equal(refused.status, 500)
    assert.deepEqual(refused.json(), {
      name: 'ServerError',
      message: 'The service failed to process the request.',
    })
    assert.equal(ready.status, 503)
    assert.equal(other.status, 200, JSON.stringify(other.json()))
    assert.equal(structures.status, 200)
    assert.ok(child.isRunning)
    assert.match(child.logged, /malformed[^"]*\(SQLITE_CORRUPT/)
    assert.doesNotMatch(child.logged, /\\n +at /)
  })

  for (const table of [
    'raw_records',
    'alarms',
    'theme_sealed_parts',
    'site_entries',
    'meta',
    'row_sums',
  ])
    test(`is named by doctor, which checks the other tables: ${table}`, async () => {
      await using data = await makeDataFolder(async (storage) => {
        await storage.records.write({ theme: rowsOf(1, [1_000, 2_000]) })
      })
      await breakTable(data.folder, table)
      await using place = await workplace()

      const { code, stdout, stderr } = await place.run(['doctor', '--data', data.folder])

      assert.equal(code, 1)
      assert.match(stdout, new RegExp(`The database file: .*${table} is malformed`), stderr)
      assert.match(stdout, /^Checked 2 intact records of open days\.$/m)
      assert.match(
        stderr,
        /^Found damage in \d+ places?\. Restore the data folder from a backup\.\n$/,
      )
    })

  test('leaves no snapshot open that would block other readers', async () => {
    await using data = await makeDataFolder()
    await breakTable(data.folder, 'theme_sealed_parts')
    await using storage = await openSqlite(data.folder)

    const failure = await Array.fromAsync(storage.sealedDays.listParts('theme')).catch(
      (error: Error) => error,
    )
    const open = await Array.fromAsync(storage.records.inspect('raw'))

    assert.equal((failure as Error).name, 'DamageError')
    assert.deepEqual(open, [])
  })

  test('that holds some stations fails requests for them, and is named', async () => {
    await using data = await makeDataFolder(fillTwo)
    await breakLeaf(data.folder, 'theme_records')
    await using child = await startChild(data.folder)
    const read = (station: number) =>
      get(
        child,
        `stations/theme/data?stations=${station}&startTime=1970-01-01+00:00:00&endTime=1970-01-02+00:00:00&`,
      )

    const statuses = [(await read(1)).status, (await read(2)).status, (await read(1)).status]

    assert.deepEqual(statuses, [500, 200, 500])
    assert.match(child.logged, /stored data is damaged: .* malformed where theme_records is read/)
    assert.doesNotMatch(child.logged, /\\n +at /)
  })

  test('that holds some stations is found by doctor, which counts the others', async () => {
    await using data = await makeDataFolder(fillTwo)
    await breakLeaf(data.folder, 'theme_records')
    await using place = await workplace()

    const { code, stdout, stderr } = await place.run(['doctor', '--data', data.folder])

    assert.equal(code, 1)
    assert.match(
      stdout,
      /^Station 1 "S1", 1970-01-01: .* malformed where theme_records is read/m,
      stderr,
    )
    const [, sound] = /^Checked (\d+) intact records of open days\.$/m.exec(stdout) ?? []
    assert.ok(Number(sound) >= 600 && Number(sound) < 1_200, stdout)
  })
})

test('a file that cannot be opened is reported by doctor with the next step', async () => {
  await using data = await makeDataFolder()
  await overwrite(join(data.folder, FILE), 0, [0x20, 0x20, 0x20])
  await using place = await workplace()

  const { code, stdout, stderr } = await place.run(['doctor', '--data', data.folder])

  assert.deepEqual([code, stdout], [1, ''])
  assert.match(
    stderr,
    /^The database file .*plumbline\.db is malformed \(SQLITE_NOTADB\)\. .* SQLite cannot open it, .* before you restore a backup\.\n$/,
  )
})

test('a file that is no database is refused with one error', async () => {
  await using data = await makeDataFolder()
  await overwrite(
    join(data.folder, FILE),
    0,
    Array.from({ length: HEADER_BYTES }, () => 0x20),
  )

  await assert.rejects(openSqlite(data.folder), {
    name: 'DamageError',
    message: /plumbline\.db is malformed \(SQLITE_NOTADB\)\. Restore it from a backup\.$/,
  })
})

test('a missing table is named, and an index of the operator is reported', async () => {
  await using place = await newPlace((folder) => openSqlite(folder))
  await place.open().then((storage) => storage[Symbol.asyncDispose]())
  const change = (sql: string) => {
    const database = new Sqlite(join(place.folder, FILE))
    database.exec(sql)
    database.close()
  }

  change('create index of_ours on theme_open_days (day)')
  const warnings: string[] = []
  const storage = await openSqlite(place.folder, { warn: (sentence) => warnings.push(sentence) })
  await storage[Symbol.asyncDispose]()
  change('drop table leases')

  assert.deepEqual(warnings, ['The index of_ours of the database was not created by Plumbline.'])
  await assert.rejects(openSqlite(place.folder), {
    name: 'DamageError',
    message:
      'The schema of the database is damaged: the table leases is missing. Restore the database from a backup.',
  })
})

test('a flipped bit in the write-ahead log ends it before its transaction', async () => {
  await using place = await newPlace((folder) => openSqlite(folder))
  await using storage = await place.open()
  await storage.records.write({ theme: rowsOf(1, [1_000]) })
  await storage.records.write({ theme: rowsOf(1, [2_000]) })
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-log-'))
  try {
    for (const end of ['', '-wal'])
      await copyFile(join(place.folder, FILE + end), join(folder, FILE + end))
    const log = await open(join(folder, `${FILE}-wal`))
    const { size } = await log.stat()
    const { buffer } = await log.read(Buffer.alloc(1), 0, 1, size - 50)
    await log.close()
    await overwrite(join(folder, `${FILE}-wal`), size - 50, [buffer[0]! ^ 4])

    await using again = await openSqlite(folder)

    assert.equal((await readRecords(again, { source: 1 })).length, 1)
    assert.deepEqual(await again.inspect(), { damaged: [], stale: [] })
    const found = await Array.fromAsync(again.records.inspect('theme'))
    assert.deepEqual(
      found.filter(({ damage }) => damage !== undefined),
      [],
    )
  } finally {
    await rm(folder, { recursive: true })
  }
})

const ALTERED = {
  'the index alarms_open is not the one that was made': `drop index alarms_open;
    create index alarms_open on alarms (source_id, type_code)`,
  'the trigger guard_alarms_update is not the one that was made': `drop trigger guard_alarms_update;
    create trigger guard_alarms_update after update on alarms begin select 1; end`,
  'the trigger guard_alarms_delete is missing': 'drop trigger guard_alarms_delete',
}

test('a database with an altered or missing index or trigger is not opened', async () => {
  for (const [state, sql] of Object.entries(ALTERED)) {
    await using data = await makeDataFolder()
    const database = new Sqlite(join(data.folder, FILE))
    database.exec(sql)
    database.close()

    await assert.rejects(openSqlite(data.folder), {
      name: 'DamageError',
      message: `The schema of the database is damaged: ${state}. Restore the database from a backup.`,
    })
  }
})
