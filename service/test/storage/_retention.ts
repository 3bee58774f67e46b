import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { runs } from '../_random.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import type { RetainedKind } from '../../src/domain/retention/retained-kind.ts'
import type { RecordKind, Storage } from '../../src/storage/storage.ts'
import { EVER, gather, readRecords, rowsOf, type NewPlace } from './_place.ts'
import { putWaveform } from '../_waveforms.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const UTC = zone('UTC')
const KINDS: readonly RecordKind[] = ['theme', 'raw']

/** Forgets to the end, as many as were counted; says how many records went, and in how many steps. */
async function expireAll(
  storage: Storage,
  what: { kind: RetainedKind; source: number; before: number; limit?: number },
  isAlone = true,
): Promise<{ records: number; steps: number }> {
  const counted = await storage.retention.count(what)
  const all = { records: 0, steps: 0 }
  for (let isDone = false; !isDone; all.steps++) {
    const step = await storage.retention.expire({ limit: 100, ...what })
    all.records += step.records
    isDone = step.isDone
  }
  if (isAlone) assert.equal(all.records, counted)
  return all
}

const seal = (storage: Storage, kind: RecordKind, start: number, until: number, source = 1) =>
  storage.sealedDays.seal({ kind, source, start, until, zone: UTC })

async function read(storage: Storage, kind: RecordKind = 'theme', source = 1, from = EVER.from) {
  return readRecords(storage, { kind, source, from })
}

const hoursFrom = (storage: Storage, from: number) =>
  Array.fromAsync(
    storage.records.readHours({ kind: 'theme', source: 1, from, to: EVER.to, zone: UTC }),
  )

/** Instants from 0 on, a number of them a day. */
const times = (days: number, aDay = 24): number[] =>
  Array.from({ length: days * aDay }, (_, at) => (at * DAY) / aDay)

const vehicle = (structure: number, time: number, number = time) => ({
  structure,
  time,
  identity: `id ${number}`,
  overload: false,
  license: '',
  load: 1,
  record: `{"number":${number}}`,
  details: '{}',
})

const traffic = async (storage: Storage, structure: number) =>
  (
    JSON.parse(await gather(storage.traffic.read({ structure, ...EVER }))) as { number: number }[]
  ).map(({ number }) => number)

export function retentionFacts(newPlace: NewPlace): void {
  for (const kind of KINDS)
    test(`open ${kind} records before an instant are deleted, and no others`, async () => {
      await using place = await newPlace()
      const storage = await place.open()
      const other = kind === 'theme' ? 'raw' : 'theme'
      const rows = { theme: rowsOf(1, times(20)), raw: rowsOf(1, times(20)) }
      await storage.records.write(rows)
      await storage.records.write({ [kind]: rowsOf(2, times(20)) })
      const before = 10 * DAY + 5 * HOUR

      const gone = await expireAll(storage, { kind, source: 1, before })

      assert.equal(gone.records, 245)
      assert.equal(gone.steps, 3)
      const kept = (await read(storage, kind)).map(({ v }) => v as number)
      assert.deepEqual(
        kept,
        Array.from({ length: 235 }, (_, at) => at + 245),
      )
      assert.equal((await read(storage, other)).length, 480)
      assert.equal((await read(storage, kind, 2)).length, 480)
      assert.deepEqual(await expireAll(storage, { kind, source: 1, before }), {
        records: 0,
        steps: 1,
      })
    })

  for (const kind of KINDS)
    test(`sealed ${kind} parts that ended before an instant are deleted, and one that did not stays whole`, async () => {
      await using place = await newPlace()
      const storage = await place.open()
      await storage.records.write({ [kind]: rowsOf(1, times(6)) })
      await storage.records.write({ [kind]: rowsOf(2, [0]) })
      for (const day of [0, 1, 2, 3]) await seal(storage, kind, day * DAY, (day + 1) * DAY)
      await seal(storage, kind, 0, DAY, 2)
      // A correction beside the part that stays.
      await storage.records.write({ [kind]: rowsOf(1, [2 * DAY + HOUR], () => -1) })

      const gone = await expireAll(storage, { kind, source: 1, before: 2 * DAY + 5 * HOUR })

      assert.deepEqual(gone, { records: 48, steps: 2 })
      const kept = (await read(storage, kind)).map(({ v }) => v as number)
      assert.deepEqual(kept, [48, -1, ...Array.from({ length: 94 }, (_, at) => at + 50)])
      assert.equal(await storage.sealedDays.countParts(kind), 3)
      assert.equal((await read(storage, kind, 2)).length, 1)

      await expireAll(storage, { kind, source: 1, before: 3 * DAY })
      assert.equal((await read(storage, kind)).length, 72)
      assert.equal(await storage.sealedDays.countParts(kind), 2)
    })

  test('a part is deleted up to its end, and not before', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, times(2)) })
    await seal(storage, 'theme', 0, DAY)

    assert.equal(
      (await expireAll(storage, { kind: 'theme', source: 1, before: DAY - 1 })).records,
      0,
    )
    assert.equal((await expireAll(storage, { kind: 'theme', source: 1, before: DAY })).records, 24)
    assert.equal((await read(storage)).length, 24)
  })

  test('corrections of sealed days are deleted with them, never before them', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, times(1)) })
    await seal(storage, 'theme', 0, DAY)
    await storage.records.write({ theme: rowsOf(1, [0], () => -1) })

    for (let isDone = false; !isDone;) {
      ;({ isDone } = await storage.retention.expire({
        kind: 'theme',
        source: 1,
        before: 9 * DAY,
        limit: 1,
      }))
      const [first] = await read(storage)
      assert.ok(first === undefined || first.v === -1)
    }

    assert.deepEqual(await read(storage), [])
  })

  test('a day with records after its deletion has the hours of its new records', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, [0, HOUR, 2 * HOUR]) })
    assert.equal((await hoursFrom(storage, 0)).length, 3)

    await expireAll(storage, { kind: 'theme', source: 1, before: DAY })
    assert.deepEqual(await hoursFrom(storage, 0), [])
    await storage.records.write({ theme: rowsOf(1, [5 * HOUR], () => 7) })

    const [hour, ...more] = await hoursFrom(storage, 0)
    assert.equal(hour?.start, 5 * HOUR)
    assert.equal(hour.items.get('v')?.maximum, 7)
    assert.equal(more.length, 0)
  })

  test('the remaining hours of a day without its first hours are summarised', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, times(2)) })
    assert.equal((await hoursFrom(storage, 0)).length, 48)

    await expireAll(storage, { kind: 'theme', source: 1, before: 16 * HOUR })

    assert.equal((await hoursFrom(storage, 0)).length, 32)
    assert.deepEqual(await storage.sealedDays.listOpenDays('theme', 9 * DAY), [
      { source: 1, day: 0, count: 8 },
      { source: 1, day: 1, count: 24 },
    ])
  })

  for (const [what, before] of [
    ['a part of it goes', 16 * HOUR],
    ['it goes', DAY],
  ] as const)
    test(`hour summaries of a day that were made while ${what} are not stored`, async () => {
      await using place = await newPlace()
      const storage = await place.open()
      await storage.records.write({ theme: rowsOf(1, times(1)) })

      const reading = hoursFrom(storage, 0)
      const forgetting = expireAll(storage, { kind: 'theme', source: 1, before }, false)
      const left = 24 - before / HOUR
      // Either may be the first to reach the database.
      assert.ok([24, left].includes((await reading).length))
      await forgetting
      await storage.records.write({ theme: rowsOf(2, [0]) })
      assert.equal((await hoursFrom(storage, 0)).length, left)

      if (left > 0) return
      await storage.records.write({ theme: rowsOf(1, [0]) })
      assert.equal((await hoursFrom(storage, 0)).length, 1)
    })

  test('after any writes, seals and corrections everything from the instant on is read as before', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const hour = fc.integer({ min: -30, max: 30 }).map((step) => step * 2 * HOUR)
    const batch = fc.record({
      times: fc.array(hour, { minLength: 1, maxLength: 30 }),
      value: fc.integer({ min: -99, max: 99 }),
      sealed: fc.option(fc.tuple(hour, hour)),
      isRead: fc.boolean(),
    })
    const history = fc.array(batch, { minLength: 1, maxLength: 6 })
    const limit = fc.constantFrom(1, 2, 7, 1_000)
    let source = 0
    await fc.assert(
      fc.asyncProperty(history, hour, limit, async (batches, before, limit) => {
        source++
        const at = { kind: 'theme', source, zone: UTC, to: EVER.to } as const
        const hours = (from: number) => Array.fromAsync(storage.records.readHours({ ...at, from }))
        for (const { times, value, sealed, isRead } of batches) {
          await storage.records.write({ theme: rowsOf(source, times, () => value) })
          if (isRead) await hours(EVER.from)
          if (sealed !== null) await seal(storage, 'theme', ...sealed, source)
        }
        const newer = await read(storage, 'theme', source, before)
        const newerHours = await hours(before)
        const all = await read(storage, 'theme', source)

        const gone = await expireAll(storage, { kind: 'theme', source, before, limit })

        assert.deepEqual(await read(storage, 'theme', source, before), newer)
        assert.deepEqual(await hours(before), newerHours)
        const kept = await read(storage, 'theme', source)
        const held = await partsOf(storage, source)
        const older = kept.slice(0, kept.length - newer.length)
        for (const { time } of older) {
          const instant = UTC.toInstant(time as string)!
          assert.ok(
            held.some(({ start, until }) => start <= instant && instant < before && until > before),
          )
        }
        assert.ok(gone.records >= all.length - kept.length)
        // What is summed up anew is what was kept.
        const fresh = kept.map(
          ({ time }) => Math.floor(UTC.toInstant(time as string)! / HOUR) * HOUR,
        )
        const starts = (await hours(EVER.from)).map(({ start }) => start)
        assert.deepEqual(starts, [...new Set(fresh)])
      }),
      { numRuns: runs(150) },
    )
  })

  test('concurrent retention, sealing and writing lose no newer record', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, times(30)) })
    const before = 15 * DAY

    await Promise.all([
      expireAll(storage, { kind: 'theme', source: 1, before, limit: 10 }, false),
      (async () => {
        for (let day = 29; day >= 0; day--) await seal(storage, 'theme', day * DAY, (day + 1) * DAY)
      })(),
      (async () => {
        for (let day = 0; day < 30; day++)
          await storage.records.write({ theme: rowsOf(1, [day * DAY + 1], () => -1) })
      })(),
    ])
    await expireAll(storage, { kind: 'theme', source: 1, before })

    const kept = (await read(storage)).map(({ v }) => v as number)
    assert.equal(kept.filter((value) => value === -1).length, 15)
    assert.deepEqual(
      kept.filter((value) => value !== -1),
      Array.from({ length: 360 }, (_, at) => at + 360),
    )
  })

  test('waveforms are deleted with their samples, and the records of the station stay', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const wave = (station: number, collectTime: number) =>
      putWaveform(
        storage,
        {
          station,
          trigger: { time: collectTime, nanoseconds: 0 },
          sampleFreq: '100',
          unit: 'g',
          samples: Float64Array.from({ length: 70_000 }, (_, at) => at),
        },
        ({ collectTime }) => rowsOf(station, [collectTime]),
      )
    for (const day of [0, 1, 2, 3]) await wave(1, day * DAY)
    await wave(2, 0)
    const first = await storage.waveforms.find(1, 0, 0)

    const gone = await expireAll(storage, {
      kind: 'vibration',
      source: 1,
      before: 2 * DAY,
      limit: 1,
    })

    assert.equal(gone.records, 2)
    assert.equal((await storage.waveforms.find(1, EVER.from, EVER.to))?.collectTime, 2 * DAY)
    assert.equal((await storage.waveforms.find(2, EVER.from, EVER.to))?.collectTime, 0)
    await assert.rejects(Array.fromAsync(storage.waveforms.readSamples(first!)), /was deleted/)
    assert.equal((await read(storage)).length, 4)
    await expireAll(storage, { kind: 'theme', source: 1, before: 9 * DAY })
    assert.deepEqual(await read(storage), [])
    const third = await storage.waveforms.find(1, 2 * DAY, 2 * DAY)
    const chunks = await Array.fromAsync(storage.waveforms.readSamples(third!))
    assert.ok(chunks.length > 1)
    assert.equal(
      chunks.reduce((sum, { length }) => sum + length, 0),
      70_000,
    )
  })

  test('vehicles of a structure are deleted, also many of one instant', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const crowd = Array.from({ length: 250 }, (_, at) => vehicle(1, 5, at))
    await storage.traffic.write([...crowd, vehicle(1, 10, 1_000), vehicle(1, 11, 1_001)])
    await storage.traffic.write([vehicle(2, 5)])

    const gone = await expireAll(storage, { kind: 'traffic', source: 1, before: 11 })

    assert.equal(gone.records, 251)
    assert.deepEqual(await traffic(storage, 1), [1_001])
    assert.deepEqual(await traffic(storage, 2), [5])
  })

  test('a record that arrives too old is kept until the next run', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const old = { kind: 'theme', source: 1, before: 9 * DAY } as const
    await storage.records.write({ theme: rowsOf(1, times(2)) })
    await seal(storage, 'theme', 0, DAY)
    await expireAll(storage, old)

    await storage.records.write({ theme: rowsOf(1, [HOUR]) })

    assert.equal((await read(storage)).length, 1)
    assert.equal((await expireAll(storage, old)).records, 1)
    assert.deepEqual(await read(storage), [])
  })
}

async function partsOf(storage: Storage, source: number) {
  const all = await Array.fromAsync(storage.sealedDays.listParts('theme'))
  return all.filter((one) => one.source === source).map(({ part }) => part)
}
