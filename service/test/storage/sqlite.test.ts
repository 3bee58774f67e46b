import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import test, { describe } from 'node:test'
import { Worker } from 'node:worker_threads'
import { once } from 'node:events'
import Sqlite from 'better-sqlite3'
import { zone } from '../../src/domain/local-time.ts'
import { ConflictError } from '../../src/storage/sql/engine.ts'
import { MIGRATIONS } from '../../src/storage/sqlite/migrations/index.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { Reader } from '../../src/storage/sqlite/reader.ts'
import { prepareSeal } from '../../src/storage/sqlite/seal-preparation.ts'
import { Writer } from '../../src/storage/sqlite/writer.ts'
import { describeStorage } from './_conformance.ts'
import { EVER, minutes, newPlace, readRecords, rowsOf } from './_place.ts'

describeStorage('sqlite', (folder) => openSqlite(folder))

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
      await storage.data.write({ theme: rowsOf(1, [attempt]) })
    }

    const version = inspect(place.folder, (one) => one.pragma('user_version', { simple: true }))
    assert.equal(version, MIGRATIONS.length)
    assert.equal((await readRecords(await place.open(), { source: 1 })).length, 2)
  })

  test('a database of a newer program is refused with a sentence and stays as it is', async () => {
    await using place = await openPlace()
    await (await place.open())[Symbol.asyncDispose]()
    const newer = MIGRATIONS.length + 1
    inspect(place.folder, (database) => database.pragma(`user_version = ${newer}`))

    await assert.rejects(place.open(), {
      name: 'RefusedError',
      message: `The database was written by a newer Plumbline: it knows ${newer} migrations, this program ${MIGRATIONS.length}. Install that version or restore a backup made before the upgrade.`,
    })

    const version = inspect(place.folder, (one) => one.pragma('user_version', { simple: true }))
    assert.equal(version, newer)
  })

  test('programs that open a new folder at the same moment all succeed', async () => {
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
  test('a closed database is one file', async () => {
    await using place = await openPlace()
    const storage = await place.open()
    await storage.data.write({ theme: rowsOf(1, [0]) })

    await storage[Symbol.asyncDispose]()

    assert.deepEqual(await readdir(place.folder), ['plumbline.db'])
  })

  test('what is forgotten is gone from the file, and leaves nothing behind', async () => {
    await using place = await openPlace()
    const size = async () => (await stat(join(place.folder, 'plumbline.db'))).size
    const empty = async () => {
      await using storage = await place.open()
      while (!(await storage.seals.tidy()).isDone);
    }
    await empty()
    const before = await size()
    {
      await using storage = await place.open()
      const { seals, data, vibration } = storage
      const samples = Float64Array.from({ length: 200_000 }, (_, at) => at / 3)
      const trigger = { time: 0, nanoseconds: 0 }
      const wave = { station: 1, trigger, sampleFreq: '100', unit: 'g', samples }
      await vibration.write(wave, () => rowsOf(1, [0]))
      for (const kind of ['theme', 'raw'] as const) {
        await data.write({ [kind]: rowsOf(1, minutes(20_000), Math.random) })
        const [first] = minutes(1)
        const span = { kind, source: 1, start: first!, until: first! + 6_000 * 60_000 }
        await seals.seal({ ...span, zone: zone('UTC') })
        const query = { kind, source: 1, zone: zone('UTC'), ...EVER }
        await Array.fromAsync(data.readHours(query))
      }
    }
    const full = await size()

    {
      await using storage = await place.open()
      for (const kind of ['theme', 'raw', 'vibration'] as const) {
        const what = { kind, source: 1, before: 2_000_000_000_000, limit: 1_000 }
        while (!(await storage.retention.forget(what)).isDone);
      }
      while (!(await storage.seals.tidy()).isDone);
    }

    assert.ok(full > before + 2_000_000, `${full} bytes`)
    assert.equal(await size(), before)
    const left = inspect(place.folder, (database) =>
      ['records', 'sealed', 'days', 'hours']
        .flatMap((table) => [`theme_${table}`, `raw_${table}`])
        .concat('vibration_batches', 'vibration_pieces')
        .filter((table) => database.prepare(`select 1 from ${table}`).get() !== undefined),
    )
    assert.deepEqual(left, [])
  })
})

describe('sqlite: sealing', () => {
  const span = { kind: 'theme', source: 1, start: 0, until: 86_400_000 } as const
  const utc = zone('UTC')

  test('what was prepared for a part that was sealed anew meanwhile is refused', async () => {
    await using place = await openPlace()
    await using storage = await place.open()
    await storage.data.write({ theme: rowsOf(1, [1000, 2000, 3000]) })
    await storage.seals.seal({ ...span, zone: utc })
    await storage.data.write({ theme: rowsOf(1, [2000], () => 7) })
    const file = join(place.folder, 'plumbline.db')
    const database = new Sqlite(file, { readonly: true })
    const late = prepareSeal(new Reader(database), { ...span, zoneName: utc.name })
    database.close()

    // Others take it up first; then a record comes that the late one has never seen.
    await storage.seals.seal({ ...span, zone: utc })
    await storage.data.write({ theme: rowsOf(1, [3000], () => 8) })
    await storage.seals.seal({ ...span, zone: utc })

    await using writer = new Writer({ file, synchronous: 'FULL' })
    await assert.rejects(writer.write(late.statements), ConflictError)
    const values = (await readRecords(storage, { source: 1 })).map(({ v }) => v)
    assert.deepEqual(values, [0, 7, 8])
  })

  test('a busy day becomes parts, and reads as one', async () => {
    await using place = await openPlace()
    await using storage = await place.open()
    const times = Array.from({ length: 9_000 }, (_, index) => index * 9_000)
    await storage.data.write({ theme: rowsOf(1, times) })
    const before = await readRecords(storage, { source: 1 })

    const { records, isWhole } = await storage.seals.seal({ ...span, zone: utc })

    assert.deepEqual({ records, isWhole }, { records: 9_000, isWhole: true })
    assert.equal(await storage.seals.countParts('theme'), 3)
    assert.deepEqual(await readRecords(storage, { source: 1 }), before)
    assert.deepEqual(
      await readRecords(storage, { source: 1, newest: 5_000 }),
      before.toReversed().slice(0, 5_000),
    )
    await storage.data.write({ theme: rowsOf(1, [4_500, 45_000_000]) })
    await storage.seals.seal({ ...span, zone: utc })
    assert.equal((await readRecords(storage, { source: 1 })).length, 9_001)
    assert.deepEqual(await storage.seals.unseal(span), { records: 9_001 })
    assert.equal((await readRecords(storage, { source: 1 })).length, 9_001)
  })
})
