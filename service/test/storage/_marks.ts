import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { runs } from '../_random.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import { isConflict } from '../../src/errors/conflict-error.ts'
import type { MarkRows, Storage, StoredPlace } from '../../src/storage/storage.ts'
import { EVER, rowsOf, sensor, station, type NewPlace } from './_place.ts'

const BEGINNING = { kind: 'import', description: 'station.csv', startedAt: 5 } as const
const BAD = '{"v":{"quality":"bad","reason":"cable cut","origin":"sender","value":7}}'
const UNCERTAIN = '{"v":{"quality":"uncertain","reason":"","origin":"sender"}}'

const marksOf = (times: number[], marks: string | null = BAD): MarkRows => ({
  sources: times.map(() => 1),
  times,
  marks: times.map(() => marks),
})

const keysOf = (times: number[]) => ({ sources: times.map(() => 1), times })

async function readMarks(storage: Storage, kind: 'theme' | 'raw' = 'theme', source = 1) {
  const found: [number, string][] = []
  for await (const { times, marks } of storage.records.readMarks({ kind, source, ...EVER }))
    for (const [at, time] of times.entries()) found.push([time, marks[at]!])
  return found
}

const find = (storage: Storage, times: number[]): Promise<StoredPlace[]> =>
  storage.records.findStored('theme', keysOf(times))

const seal = (storage: Storage, until: number) =>
  storage.sealedDays.seal({ kind: 'theme', source: 1, start: 0, until, zone: zone('UTC') })

const isOfPlaces = (error: unknown): boolean => isConflict(error, 'places')

/** The number of the value that `rowsOf` has written. */
const valueOf = ({ record }: StoredPlace): number | null =>
  record === null ? null : (JSON.parse(record) as { v: number }).v

export function markFacts(newPlace: NewPlace): void {
  test('marks are stored beside records and without one, replaced and deleted', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.records.write(
      { theme: rowsOf(1, [1000]) },
      { marks: { theme: marksOf([1000, 2000]) } },
    )
    assert.deepEqual(await readMarks(storage), [
      [1000, BAD],
      [2000, BAD],
    ])

    await storage.records.write({}, { marks: { theme: marksOf([1000], UNCERTAIN) } })
    await storage.records.write({}, { marks: { theme: marksOf([2000], null) } })

    assert.deepEqual(await readMarks(storage), [[1000, UNCERTAIN]])
    assert.deepEqual(await readMarks(storage, 'raw'), [])
  })

  test('what is stored at places is found, open, sealed, corrected or marked', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const times = Array.from({ length: 50 }, (_, at) => at * 1000)
    await storage.records.write({ theme: rowsOf(1, times, () => 1) })
    await seal(storage, 25_000)
    await storage.records.write(
      { theme: rowsOf(1, [3000], () => 2) },
      { marks: { theme: marksOf([4000, 90_000]) } },
    )

    const asked = [90_000, 3000, 500, 49_000, 4000]
    const found = await find(storage, asked)

    assert.deepEqual(found.map(valueOf), [null, 2, null, 1, 1])
    assert.deepEqual(
      found.map(({ marks }) => marks),
      [BAD, null, null, null, BAD],
    )
    assert.deepEqual(
      (await find(storage, times)).map(valueOf),
      times.map((time) => (time === 3000 ? 2 : 1)),
    )
  })

  test('the last instant of a source is that of a record, open or sealed, or of marks', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const last = () => storage.records.findLast('theme', [1, 2])
    assert.deepEqual(await last(), [null, null])

    await storage.records.write({ theme: rowsOf(1, [1000, 2000]) })
    await seal(storage, 5000)
    assert.deepEqual(await last(), [2000, null])
    await storage.records.write({ theme: rowsOf(1, [7000]) }, { marks: { theme: marksOf([9000]) } })

    assert.deepEqual(await last(), [9000, null])
  })

  test('new records that meet a record, open or sealed, are refused with everything beside them', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, [1000, 3000], () => 1) })
    await seal(storage, 2000)

    for (const met of [1000, 3000]) {
      const write = storage.records.write(
        { theme: { ...rowsOf(1, [500, met], () => 2), areNew: true } },
        { marks: { theme: marksOf([500]) } },
      )
      await assert.rejects(write, isOfPlaces)
    }

    assert.deepEqual((await find(storage, [500, 1000, 3000])).map(valueOf), [null, 1, 1])
    assert.deepEqual(await readMarks(storage), [])
  })

  test('a write is refused where a record or marks are not as expected', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const times = [1000, 2000]
    await storage.records.write(
      { theme: rowsOf(1, times, () => 1) },
      { marks: { theme: marksOf([2000]) } },
    )
    await seal(storage, 1500)
    const stored = await find(storage, times)
    const write = (expected: StoredPlace[]) =>
      storage.records.write(
        { theme: rowsOf(1, times, () => 2) },
        { expected: { theme: { ...keysOf(times), stored: expected } } },
      )
    const wrong: Partial<StoredPlace>[] = [{ record: null }, { record: '{}' }, { marks: UNCERTAIN }]
    for (const at of [0, 1])
      for (const change of wrong)
        await assert.rejects(
          write(stored.map((one, index) => (index === at ? { ...one, ...change } : one))),
          isOfPlaces,
        )
    assert.deepEqual((await find(storage, times)).map(valueOf), [1, 1])

    await write(stored)

    assert.deepEqual((await find(storage, times)).map(valueOf), [2, 2])
  })

  test('a deleted record takes its marks along, and undo brings both back', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.records.write(
      { theme: rowsOf(1, [1000]) },
      { marks: { theme: marksOf([1000, 2000]) } },
    )
    const change = await storage.changes.begin({ ...BEGINNING, kind: 'deletion' })

    await storage.records.write({}, { change, deletions: { theme: keysOf([1000]) } })
    assert.deepEqual(await readMarks(storage), [[2000, BAD]])
    await undo(storage, change)

    assert.equal((await readMarks(storage)).length, 2)
    assert.equal((await find(storage, [1000]))[0]?.marks, BAD)
  })

  test('marks expire with the records of their time', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.records.write(
      { theme: rowsOf(1, [3000]) },
      { marks: { theme: marksOf([1000, 3000]) } },
    )

    const what = { kind: 'theme', source: 1, limit: 100 } as const
    await storage.retention.expire({ ...what, before: 2000 })
    assert.deepEqual(await readMarks(storage), [[3000, BAD]])
    await storage.retention.expire({ ...what, before: 4000 })

    assert.deepEqual(await readMarks(storage), [])
  })

  test('marks are removed with the records of a station or sensor that is removed', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const put = [station(1), sensor('s')]
    await storage.site.apply({ put, remove: [], withRecords: false }, 0)
    const { sensorKeys } = await storage.site.load()
    const key = sensorKeys.get('s')!
    const raw = { sources: [key], times: [1000], marks: [BAD] }
    await storage.records.write({}, { marks: { theme: marksOf([1000]), raw } })
    const holdings = await storage.site.findHoldings({
      stations: [1],
      sensors: ['s'],
      structures: [],
    })
    assert.deepEqual([holdings.stations, holdings.sensors], [[1], ['s']])

    await storage.site.apply({ put: [], remove: put, withRecords: true }, 1)

    assert.deepEqual(await readMarks(storage), [])
    assert.deepEqual(await readMarks(storage, 'raw', key), [])
  })

  test('undoing any writes of records and marks in reverse order restores all', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 10 }), fc.nat(10), async (steps, sealAfter) => {
        const everything = { theme: keysOf(ALL) }
        await storage.records.write({}, { deletions: everything })
        await storage.records.write({ theme: rowsOf(1, [0, 3000], () => -1) })
        const states: { change: number; before: StoredPlace[] }[] = []
        for (const [at, { time, value, marks }] of steps.entries()) {
          if (at === sealAfter) await seal(storage, 5000)
          const change = await storage.changes.begin(BEGINNING)
          const before = await find(storage, ALL)
          states.push({ change, before })
          const place = keysOf([time])
          const stored = before.slice(time / 1000, time / 1000 + 1)
          await storage.records.write(
            value === null ? {} : { theme: rowsOf(1, [time], () => value) },
            {
              change,
              deletions: value === null ? { theme: place } : {},
              marks: { theme: marksOf([time], marks) },
              expected: { theme: { ...place, stored } },
            },
          )
          assert.deepEqual((await find(storage, [time])).map(valueOf), [value])
        }

        for (const { change, before } of states.toReversed()) {
          assert.equal((await undo(storage, change)).left, 0)
          assert.deepEqual(await find(storage, ALL), before)
        }
      }),
      { numRuns: runs(40) },
    )
  })
}

const ALL = Array.from({ length: 10 }, (_, second) => second * 1000)

const step = fc.record({
  time: fc.constantFrom(0, 1000, 6000),
  value: fc.option(fc.nat(9)),
  marks: fc.constantFrom(null, BAD, UNCERTAIN),
})

async function undo(storage: Storage, change: number) {
  let left = 0
  while (true) {
    const one = await storage.changes.undo(change, { limit: 2, now: 99 })
    left += one.left
    if (one.isDone) return { left }
  }
}
