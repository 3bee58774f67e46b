import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { runs } from '../_random.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import { isConflict } from '../../src/errors/conflict-error.ts'
import type { Storage, StoredPlace } from '../../src/storage/storage.ts'
import { bytes, minutes, readRecords, recordAt, rowsOf, station, type NewPlace } from './_place.ts'

const DAY = 86_400_000

const NOTHING: StoredPlace = { record: null, marks: null }

const dayOf = (time: number) => {
  const start = Math.floor(time / DAY) * DAY
  return { start, until: start + DAY }
}

const sealDayOf = (storage: Storage, time: number) =>
  storage.sealedDays.seal({ kind: 'theme', source: 1, ...dayOf(time), zone: zone('UTC') })

export function concurrencyFacts(newPlace: NewPlace): void {
  test('two open storages write the same data concurrently and lose nothing', async () => {
    await using place = await newPlace()
    const both = [await place.open(), await place.open()]

    await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        both[at % 2]!.records.write({ theme: rowsOf(at, minutes(at + 1)) }),
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
      await writing.records.write({ theme: rowsOf(1, [at]) })
      assert.equal((await readRecords(reading, { source: 1 })).length, at)
    }
  })

  test('a failed write among many that wait does not affect the others', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.ingestKeys.add('taken', bytes('key'), 0)
    const version = await storage.site.version()
    const change = { put: [station(1)], remove: [], withRecords: false }
    const wrong = rowsOf(99, [0, 60_000])
    wrong.times[1] = NaN

    const writes = Array.from({ length: 30 }, (_, at) =>
      storage.records.write({ theme: rowsOf(at, minutes(3)) }),
    )
    const [applied, taken, broken] = await Promise.all([
      storage.site.apply(change, version + 7),
      storage.ingestKeys.add('taken', bytes('other'), 0).catch((error: Error) => error),
      storage.records.write({ theme: wrong }).catch((error: Error) => error),
      ...Array.from({ length: 30 }, (_, at) =>
        storage.records.write({ theme: rowsOf(100 + at, minutes(2)) }),
      ),
      ...writes,
    ])

    assert.equal(applied, false)
    assert.ok(taken instanceof Error)
    assert.ok(broken instanceof Error)
    assert.equal(await storage.site.version(), version)
    assert.deepEqual((await storage.site.load()).entries, [])
    assert.equal((await readRecords(storage, { source: 99 })).length, 0)
    for (let at = 0; at < 30; at++) {
      assert.equal((await readRecords(storage, { source: at })).length, 3)
      assert.equal((await readRecords(storage, { source: 100 + at })).length, 2)
    }
  })

  test('derived records are stored only if no other writer has stored raw records', async () => {
    await using place = await newPlace()
    const both = [await place.open(), await place.open()]
    const [own] = both as [Storage]
    const writers = fc.array(fc.integer({ min: 0, max: 1 }), { maxLength: 4 })
    const dayBefore = fc.boolean()
    let source = 0

    await fc.assert(
      fc.asyncProperty(
        writers,
        writers,
        fc.boolean(),
        dayBefore,
        async (before, after, allowsOwnWrites, hasOld) => {
          source++
          const write = (by: number, at: number) =>
            both[by]!.records.write({ raw: rowsOf(source, [at * 1000], () => at + by * 10) })
          if (hasOld) await write(1, -86_400)
          for (const by of before) await write(by, 1)
          const raw = await own.records.readRawRevisions([
            { source, from: -90_000_000, to: 60_000 },
          ])
          for (const by of after) await write(by, 2)

          const sent = own.records.write(
            { theme: rowsOf(source, [1000]) },
            { basis: { raw, allowsOwnWrites } },
          )

          // A day that had no record is checked again after any first write.
          const isOwn =
            allowsOwnWrites && !after.includes(1) && (before.length > 0 || after.length === 0)
          if (after.length === 0 || isOwn) await sent
          else await assert.rejects(sent, { name: 'ConflictError', reason: 'records' })
          const records = await readRecords(own, { source })
          assert.equal(records.length, after.length === 0 || isOwn ? 1 : 0)
        },
      ),
      { numRuns: runs(150) },
    )
  })

  test('raw records that another process removes conflict with the records derived from them', async () => {
    await using place = await newPlace()
    const [own, other] = [await place.open(), await place.open()]
    await own.records.write({ raw: rowsOf(1, minutes(3)) })
    const [time = 0] = minutes(3)
    const raw = await own.records.readRawRevisions([{ source: 1, from: time, to: time }])
    await other.records.write({}, { deletions: { raw: { sources: [1], times: [time] } } })
    await own.records.write({ raw: rowsOf(1, [time + 1]) })

    const sent = own.records.write(
      { theme: rowsOf(1, [time]) },
      { basis: { raw, allowsOwnWrites: true } },
    )

    await assert.rejects(sent, { name: 'ConflictError', reason: 'records' })
  })

  test('a new record meets one that another process has just sealed', async () => {
    await using place = await newPlace()
    const [own, other] = [await place.open(), await place.open()]
    const [first = 0, second = 0] = minutes(2)
    await own.records.write({ theme: rowsOf(1, [first]) })
    await other.records.write({ theme: rowsOf(1, [second]) })
    assert.equal((await sealDayOf(other, first)).records, 2)

    const sent = own.records.write({ theme: { ...rowsOf(1, [second], () => 7), areNew: true } })

    await assert.rejects(sent, { name: 'ConflictError', reason: 'places' })
    assert.deepEqual((await readRecords(own, { source: 1 })).length, 2)
  })

  test('a record that replaces one that another process has just sealed counts as a replacement', async () => {
    await using place = await newPlace()
    const [own, other] = [await place.open(), await place.open()]
    const [first = 0, second = 0] = minutes(2)
    await own.records.write({ theme: rowsOf(1, [first]) })
    await other.records.write({ theme: rowsOf(1, [second]) })
    await sealDayOf(other, first)

    const { theme } = await own.records.write({ theme: rowsOf(1, [second], () => 7) })

    assert.equal(theme.replaced, 1)
  })

  test('writers that compute a record from the stored one lose nothing while its day is sealed and opened', async () => {
    await using place = await newPlace()
    const both = [await place.open(), await place.open()]
    const [time = 0] = minutes(1)
    const keys = { sources: [1], times: [time] }
    const count = runs(100)
    const ended = new AbortController()

    const increase = async (storage: Storage): Promise<void> => {
      for (let done = 0; done < count;) {
        const [before = NOTHING] = await storage.records.findStored('theme', keys)
        const value = before.record === null ? 0 : (JSON.parse(before.record) as { v: number }).v
        const rows = { ...rowsOf(1, [time], () => value + 1), areNew: before.record === null }
        try {
          await storage.records.write(
            { theme: rows },
            { expected: { theme: { ...keys, stored: [before] } } },
          )
          done++
        } catch (error) {
          if (!isConflict(error, 'places')) throw error
        }
      }
    }
    const seal = async (storage: Storage): Promise<void> => {
      while (!ended.signal.aborted) {
        await sealDayOf(storage, time)
        if (Math.random() < 0.3)
          await storage.sealedDays.unseal({ kind: 'theme', source: 1, ...dayOf(time) })
      }
    }
    const sealing = [seal(both[0]!), seal(both[1]!)]
    try {
      await Promise.all([increase(both[0]!), increase(both[1]!)])
    } finally {
      ended.abort()
    }
    await Promise.all(sealing)

    const [stored] = await both[0]!.records.findStored('theme', keys)
    assert.equal(stored?.record, recordAt(time, 2 * count))
  })

  test('closing finishes earlier writes', async () => {
    await using place = await newPlace()
    const closing = await place.open()

    const writes = Array.from({ length: 40 }, (_, at) =>
      closing.records.write({ theme: rowsOf(1, [at]) }),
    )
    await closing[Symbol.asyncDispose]()
    await Promise.all(writes)

    assert.equal((await readRecords(await place.open(), { source: 1 })).length, 40)
  })
}
