import assert from 'node:assert/strict'
import test from 'node:test'
import { bytes, minutes, readRecords, rowsOf, station, type NewPlace } from './_place.ts'

export function concurrencyFacts(newPlace: NewPlace): void {
  test('two opened storages write the same data at once and lose nothing', async () => {
    await using place = await newPlace()
    const both = [await place.open(), await place.open()]

    await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        both[at % 2]!.data.write({ theme: rowsOf(at, minutes(at + 1)) }),
      ),
    )

    for (const storage of both)
      for (let at = 0; at < 60; at++)
        assert.equal((await readRecords(storage, { source: at })).length, at + 1)
  })

  test('what one storage has acknowledged another reads at once', async () => {
    await using place = await newPlace()
    const [writing, reading] = [await place.open(), await place.open()]

    for (let at = 1; at <= 20; at++) {
      await writing.data.write({ theme: rowsOf(1, [at]) })
      assert.equal((await readRecords(reading, { source: 1 })).length, at)
    }
  })

  test('a write that fails among many that wait leaves the others standing', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.keys.add('taken', bytes('key'), 0)
    const version = await storage.sites.version()
    const change = { put: [station(1)], remove: [], withRecords: false }
    const wrong = rowsOf(99, [0, 60_000])
    wrong.times[1] = NaN

    const writes = Array.from({ length: 30 }, (_, at) =>
      storage.data.write({ theme: rowsOf(at, minutes(3)) }),
    )
    const [applied, taken, broken] = await Promise.all([
      storage.sites.apply(change, version + 7),
      storage.keys.add('taken', bytes('other'), 0).catch((error: Error) => error),
      storage.data.write({ theme: wrong }).catch((error: Error) => error),
      ...Array.from({ length: 30 }, (_, at) =>
        storage.data.write({ theme: rowsOf(100 + at, minutes(2)) }),
      ),
      ...writes,
    ])

    assert.equal(applied, false)
    assert.ok(taken instanceof Error)
    assert.ok(broken instanceof Error)
    assert.equal(await storage.sites.version(), version)
    assert.deepEqual((await storage.sites.load()).entries, [])
    assert.equal((await readRecords(storage, { source: 99 })).length, 0)
    for (let at = 0; at < 30; at++) {
      assert.equal((await readRecords(storage, { source: at })).length, 3)
      assert.equal((await readRecords(storage, { source: 100 + at })).length, 2)
    }
  })

  test('closing finishes what was sent before', async () => {
    await using place = await newPlace()
    const closing = await place.open()

    const writes = Array.from({ length: 40 }, (_, at) =>
      closing.data.write({ theme: rowsOf(1, [at]) }),
    )
    await closing[Symbol.asyncDispose]()
    await Promise.all(writes)

    assert.equal((await readRecords(await place.open(), { source: 1 })).length, 40)
  })
}
