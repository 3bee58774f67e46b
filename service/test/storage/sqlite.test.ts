// Own process: together with the nouns of records it would take longer than a file may.
import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import test, { describe } from 'node:test'
import { Worker } from 'node:worker_threads'
import { once } from 'node:events'
import Sqlite from 'better-sqlite3'
import { zone } from '../../src/domain/time/local-time.ts'
import { DATABASE_VERSION } from '../../src/storage/sqlite/migrations/migrate.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { AsyncReader } from '../../src/storage/sqlite/connection/async-reader.ts'
import { Reader } from '../../src/storage/sqlite/connection/reader.ts'
import { recordChecks } from '../../src/storage/sqlite/integrity/record-checks.ts'
import { prepareSeal } from '../../src/storage/sql/sealed-days/seal-preparation.ts'
import { Writer } from '../../src/storage/sqlite/connection/writer.ts'
import { describeStorage, NOUNS } from './_conformance.ts'
import { EVER, minutes, newPlace, readRecords, rowsOf } from './_place.ts'
import { OF_RECORDS } from './_record-nouns.ts'
import { putWaveform, putWaveforms } from '../_waveforms.ts'

describeStorage(
  'sqlite',
  (folder) => openSqlite(folder, { openDayBytes: 2 ** 24 }),
  NOUNS.filter((noun) => !OF_RECORDS.has(noun)),
)

const openPlace = () => newPlace((folder) => openSqlite(folder))

function inspect<Result>(folder: string, look: (database: Sqlite.Database) => Result): Result {
  const database = new Sqlite(join(folder, 'plumbline.db'))
  try {
    return look(database)
  } finally {
    database.close()
  }
}

describe('sqlite: migrations', () => {
  test('a fresh database gets every migration, and opening again none', async () => {
    await using place = await openPlace()
    for (const attempt of [1, 2]) {
      await using storage = await place.open()
      await storage.records.write({ theme: rowsOf(1, [attempt]) })
    }

    const version = inspect(place.folder, (one) => one.pragma('user_version', { simple: true }))
    assert.equal(version, DATABASE_VERSION)
    assert.equal((await readRecords(await place.open(), { source: 1 })).length, 2)
  })

  test('a database of a newer program is refused with a sentence and stays as it is', async () => {
    await using place = await openPlace()
    await (await place.open())[Symbol.asyncDispose]()
    const newer = DATABASE_VERSION + 1
    inspect(place.folder, (database) => database.pragma(`user_version = ${newer}`))

    await assert.rejects(place.open(), {
      name: 'RefusedError',
      message: `The database was written by a newer Plumbline: it has version ${newer}, this program needs ${DATABASE_VERSION}. Install that version or restore a backup made before the upgrade.`,
    })

    const version = inspect(place.folder, (one) => one.pragma('user_version', { simple: true }))
    assert.equal(version, newer)
  })

  test('processes that open a new folder at the same time all succeed', async () => {
    const program = `
      const { workerData, parentPort } = require('node:worker_threads')
      const gate = new Int32Array(workerData.gate)
      import(workerData.module).then(async ({ openSqlite }) => {
        if (Atomics.add(gate, 0, 1) === workerData.count - 1) Atomics.notify(gate, 0)
        else while (Atomics.load(gate, 0) < workerData.count) Atomics.wait(gate, 0, Atomics.load(gate, 0), 100)
        const storage = await openSqlite(workerData.folder)
        await storage.devices.writeContacts([{ device: workerData.name, time: 1 }])
        await storage[Symbol.asyncDispose]()
        parentPort.postMessage('done')
      })`
    const module = new URL('../../src/storage/sqlite/open.ts', import.meta.url).href
    for (let round = 0; round < 5; round++) {
      await using place = await openPlace()
      const gate = new SharedArrayBuffer(4)
      const count = 4
      const workers = Array.from({ length: count }, (_, at) => {
        const { folder } = place
        const workerData = { gate, count, folder, module, name: `program ${at}` }
        return new Worker(program, { eval: true, workerData })
      })

      await Promise.all(workers.map((worker) => once(worker, 'message')))
      await Promise.all(workers.map((worker) => worker.terminate()))

      const storage = await place.open()
      assert.equal((await storage.devices.listContacts()).length, count)
    }
  })
})

describe('sqlite: the folder', () => {
  test('a write under way at closing succeeds, also when its result is handled late', async () => {
    await using place = await openPlace()
    await (await place.open())[Symbol.asyncDispose]()
    const writer = new Writer({ file: join(place.folder, 'plumbline.db'), synchronous: 'FULL' })
    const sql = `insert into positions (name, position) values ('a', 'b')`

    const written = writer.write([{ sql, width: 0, values: [] }])
    const closed = writer[Symbol.asyncDispose]()
    // Without a turn of the event loop, which would handle the result.
    for (let turns = 0; turns < 50; turns++) await Promise.resolve()
    // The thread of the writer would go on meanwhile, to where SQLite removes the log.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)

    const [outcome] = await written
    assert.equal(outcome?.changed, 1)
    await closed
  })

  test('a closed database is one file, beside an empty one for locks', async () => {
    await using place = await openPlace()
    const storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, [0]) })

    await storage[Symbol.asyncDispose]()

    assert.deepEqual((await readdir(place.folder)).toSorted(), [
      'plumbline.db',
      'plumbline.lock-use',
    ])
  })

  test('deleted records are removed from the file', async () => {
    await using place = await openPlace()
    const size = async () => (await stat(join(place.folder, 'plumbline.db'))).size
    const empty = async () => {
      await using storage = await place.open()
      while (!(await storage.sealedDays.reclaimSpace()).isDone);
    }
    await empty()
    const before = await size()
    {
      await using storage = await place.open()
      const { sealedDays, records } = storage
      const samples = Float64Array.from({ length: 200_000 }, (_, at) => at / 3)
      const trigger = { time: 0, nanoseconds: 0 }
      const wave = { station: 1, trigger, sampleFreq: '100', unit: 'g', samples }
      await putWaveform(storage, wave, () => rowsOf(1, [0]))
      for (const kind of ['theme', 'raw'] as const) {
        await records.write({ [kind]: rowsOf(1, minutes(20_000), Math.random) })
        const [first] = minutes(1)
        const span = { kind, source: 1, start: first!, until: first! + 6_000 * 60_000 }
        await sealedDays.seal({ ...span, zone: zone('UTC') })
        const query = { kind, source: 1, zone: zone('UTC'), ...EVER }
        await Array.fromAsync(records.readHours(query))
      }
    }
    const full = await size()

    {
      await using storage = await place.open()
      for (const kind of ['theme', 'raw', 'vibration'] as const) {
        const what = { kind, source: 1, before: 2_000_000_000_000, limit: 1_000 }
        while (!(await storage.retention.expire(what)).isDone);
      }
      while (!(await storage.sealedDays.reclaimSpace()).isDone);
    }

    assert.ok(full > before + 2_000_000, `${full} bytes`)
    assert.equal(await size(), before)
    const left = inspect(place.folder, (database) =>
      ['records', 'sealed_parts', 'open_days', 'open_hours']
        .flatMap((table) => [`theme_${table}`, `raw_${table}`])
        .concat('waveforms', 'waveform_chunks')
        .filter((table) => database.prepare(`select 1 from ${table}`).get() !== undefined),
    )
    assert.deepEqual(left, [])
  })
})

const NO_RECORD = () => ({ sources: [], times: [], records: [] })

const single = (count: number) =>
  Float64Array.from({ length: count }, (_, n) => Math.fround(Math.sin(n)))

describe('sqlite: waveforms', () => {
  for (const count of [1_000, 1_500, 2_000, 2_500, 12_800, 65_536, 1_000_000])
    test(`of ${count} samples take at most 4.2 bytes a sample in single precision`, async () => {
      await using place = await openPlace()
      const file = join(place.folder, 'plumbline.db')
      await (await place.open())[Symbol.asyncDispose]()
      const before = (await stat(file)).size
      const batches = Math.ceil(1_500_000 / count)
      {
        await using storage = await place.open()
        const parts = { sampleFreq: '200', unit: 'cm/s²', samples: single(count) }
        const none = { sources: [], times: [], records: [] }
        await Promise.all(
          Array.from({ length: batches }, (_, at) => {
            const trigger = { time: 1_700_000_000_000 + at * 10_000 + 123, nanoseconds: 0 }
            return putWaveform(storage, { station: 1, trigger, ...parts }, () => none)
          }),
        )
      }

      const bytes = ((await stat(file)).size - before) / (batches * count)
      assert.ok(bytes <= 4.2, `${bytes} bytes a sample`)
    })

  for (const end of ['undone', 'forgotten'] as const)
    test(`of a change that is ${end} leave no orphaned chunk`, async () => {
      await using place = await openPlace()
      await using storage = await place.open()
      const waves = [0, 1].map((second) => {
        const trigger = { time: second * 1_000, nanoseconds: 0 }
        const batch = { station: 1, trigger, sampleFreq: '1', unit: '', samples: single(600) }
        return { batch, records: NO_RECORD }
      })
      const orphans = () =>
        inspect(place.folder, (database) =>
          database
            .prepare(
              `select count(*) from waveform_chunks
                where id / 2097152 not in (select id from waveforms)`,
            )
            .pluck()
            .get(),
        )
      await putWaveforms(storage, waves.slice(1))
      const kind = 'import' as const
      const change = await storage.changes.begin({ kind, description: '', startedAt: 1 })
      for (let times = 0; times < 3; times++) await putWaveforms(storage, waves, { change })
      const kept = orphans()

      const step = () =>
        end === 'undone'
          ? storage.changes.undo(change, { limit: 9, now: 1 })
          : storage.changes.expire(2, 9)
      while (!(await step()).isDone);

      assert.deepEqual([kept, orphans()], [3, 0])
    })

  test('that are damaged are reported, and never read', async () => {
    await using place = await openPlace()
    await using storage = await place.open()
    const parts = { sampleFreq: '1', unit: '', samples: single(600) }
    const trigger = { time: 0, nanoseconds: 0 }
    const none = { sources: [], times: [], records: [] }
    await putWaveform(storage, { station: 1, trigger, ...parts }, () => none)
    const header = await storage.waveforms.find(1, 0, 0)
    const change = (sql: string) => {
      const database = new Sqlite(join(place.folder, 'plumbline.db'))
      database.exec(sql)
      database.close()
    }

    const read = () => Array.fromAsync(storage.waveforms.readSamples(header!))
    assert.equal((await read()).length, 1)
    await assert.rejects(
      Array.fromAsync(storage.waveforms.readSamples({ ...header!, count: 599 })),
      /^DamageError: it has 1 samples too many/,
    )
    await assert.rejects(
      Array.fromAsync(storage.waveforms.readSamples({ ...header!, count: 601 })),
      /^DamageError: its last 1 samples are missing/,
    )
    change(`update waveform_chunks set crc = crc + 1 where id % 2097152 = 2`)
    await assert.rejects(read(), /^DamageError: samples 503 and later are damaged/)
  })
})

describe('sqlite: sealing', () => {
  const span = { kind: 'theme', source: 1, start: 0, until: 86_400_000 } as const
  const utc = zone('UTC')

  test('a change prepared for a part that was sealed again is refused', async () => {
    await using place = await openPlace()
    await using storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, [1000, 2000, 3000]) })
    await storage.sealedDays.seal({ ...span, zone: utc })
    await storage.records.write({ theme: rowsOf(1, [2000], () => 7) })
    const file = join(place.folder, 'plumbline.db')
    const database = new Sqlite(file, { readonly: true })
    const plain = new Reader(database)
    const reader = new AsyncReader(plain, recordChecks(plain), () => {})
    const late = await prepareSeal(reader, { ...span, zoneName: utc.name })
    database.close()

    // Others take it up first; then a record comes that the late one has never seen.
    await storage.sealedDays.seal({ ...span, zone: utc })
    await storage.records.write({ theme: rowsOf(1, [3000], () => 8) })
    await storage.sealedDays.seal({ ...span, zone: utc })

    await using writer = new Writer({ file, synchronous: 'FULL' })
    await assert.rejects(writer.write(late.statements), { name: 'ConflictError', reason: 'rows' })
    const values = (await readRecords(storage, { source: 1 })).map(({ v }) => v)
    assert.deepEqual(values, [0, 7, 8])
  })

  test('a busy day becomes parts, and reads as one', async () => {
    await using place = await openPlace()
    await using storage = await place.open()
    const times = Array.from({ length: 9_000 }, (_, index) => index * 9_000)
    await storage.records.write({ theme: rowsOf(1, times) })
    const before = await readRecords(storage, { source: 1 })

    const { records, isComplete } = await storage.sealedDays.seal({ ...span, zone: utc })

    assert.deepEqual({ records, isComplete }, { records: 9_000, isComplete: true })
    assert.equal(await storage.sealedDays.countParts('theme'), 3)
    assert.deepEqual(await readRecords(storage, { source: 1 }), before)
    assert.deepEqual(
      await readRecords(storage, { source: 1, newest: 5_000 }),
      before.toReversed().slice(0, 5_000),
    )
    await storage.records.write({ theme: rowsOf(1, [4_500, 45_000_000]) })
    await storage.sealedDays.seal({ ...span, zone: utc })
    assert.equal((await readRecords(storage, { source: 1 })).length, 9_001)
    assert.deepEqual(await storage.sealedDays.unseal(span), { records: 9_001 })
    assert.equal((await readRecords(storage, { source: 1 })).length, 9_001)
  })
})
