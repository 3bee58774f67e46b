import assert from 'node:assert/strict'
import test from 'node:test'
import { zone } from '../../src/domain/time/local-time.ts'
import type { ManualReading } from '../../src/storage/storage.ts'
import { EVER, minutes, readRecords, recordAt, rowsOf, station, type NewPlace } from './_place.ts'

const TIMES = minutes(4)

/** A reading of the minute `at`, which says so. */
const reading = (at: number, some: Partial<ManualReading> = {}): ManualReading => ({
  quality: null,
  change: null,
  station: 1,
  time: TIMES[at]!,
  author: '李伟 "Li"',
  userId: 7,
  note: '',
  record: recordAt(TIMES[at]!, at),
  enteredAt: 5,
  ...some,
})

export function readingFacts(newPlace: NewPlace): void {
  test('readings are listed as they were entered, newest first, within both ends', async () => {
    await using place = await newPlace()
    const { records, manualReadings } = await place.open()
    const entered = [0, 1, 2, 3].map((at) => reading(at, { note: `n${at}`, enteredAt: 10 - at }))

    await records.write({ theme: rowsOf(1, TIMES) }, { manualReadings: entered })
    await records.write({}, { manualReadings: [reading(1, { station: 2 })] })

    const query = { station: 1, from: TIMES[1]!, to: TIMES[3]!, limit: 10 }
    const [first, second, third] = entered.slice(1).toReversed()
    const listed = [first, second, third].map((one) => ({ ...one, undoneAt: null }))
    assert.deepEqual(await manualReadings.list(query), listed)
    assert.deepEqual(await manualReadings.list({ ...query, limit: 2 }), listed.slice(0, 2))
  })

  test('a reading and its record are stored together, beside what a record batch replaces', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, TIMES) })

    const outcome = await storage.records.write(
      { theme: rowsOf(1, [TIMES[1]!], () => 50) },
      { manualReadings: [reading(1, { record: recordAt(TIMES[1]!, 50) })] },
    )

    assert.deepEqual(outcome.theme, { replaced: 1 })
    const records = await readRecords(storage, { source: 1 })
    assert.deepEqual(
      records.map(({ v }) => v),
      [0, 50, 2, 3],
    )
    const [only] = await storage.manualReadings.list({ station: 1, ...EVER, limit: 10 })
    assert.equal(only!.record, recordAt(TIMES[1]!, 50))
  })

  test('a repeated reading is kept once as it was entered first; a changed one is kept beside it', async () => {
    await using place = await newPlace()
    const { records, manualReadings } = await place.open()
    const right = reading(0)
    const changes: Partial<ManualReading>[] = [
      { record: recordAt(TIMES[0]!, 9) },
      { author: 'B' },
      { note: 'x' },
      { userId: 8 },
      { quality: '{"v":{"quality":"uncertain","reason":"","origin":"sender"}}' },
    ]

    await records.write({}, { manualReadings: [{ ...right, enteredAt: 0 }] })
    await records.write({}, { manualReadings: [reading(1)] })
    for (const [at, some] of [{}, {}, ...changes, {}, {}].entries())
      await records.write({}, { manualReadings: [{ ...right, ...some, enteredAt: at + 1 }] })

    const list = await manualReadings.list({ station: 1, from: 0, to: right.time, limit: 10 })
    assert.deepEqual(
      list.map(({ enteredAt }) => enteredAt),
      [8, 7, 6, 5, 4, 3, 0],
    )
  })

  test('a reading whose change was undone says so, and is stored again when it is sent again', async () => {
    await using place = await newPlace()
    const { records, changes, manualReadings } = await place.open()
    const enter = async () => {
      const change = await changes.begin({ kind: 'reading', description: 'x', startedAt: 1 })
      await records.write(
        { theme: rowsOf(1, [TIMES[0]!]) },
        { change, manualReadings: [reading(0, { change })] },
      )
      return change
    }
    const first = await enter()
    await changes.undo(first, { limit: 9, now: 50 })

    const second = await enter()

    const list = await manualReadings.list({ station: 1, ...EVER, limit: 10 })
    assert.deepEqual(
      list.map(({ change, undoneAt }) => [change, undoneAt]),
      [
        [second, null],
        [first, 50],
      ],
    )
    assert.equal((await manualReadings.findLatest(1, TIMES[0]!))?.change, second)
    assert.equal(await manualReadings.findLatest(1, TIMES[1]!), undefined)
  })

  for (const sealed of [0, 1, 2])
    test(`readings are deleted with expired records, ${sealed} of two of them sealed`, async () => {
      await using place = await newPlace()
      const storage = await place.open()
      const { records, manualReadings, retention } = storage
      const day = 86_400_000
      const times = [0, 1, 2].map((at) => TIMES[0]! + at * day)
      const list = times.map((time) => reading(0, { time }))
      await records.write(
        { theme: rowsOf(1, times), raw: rowsOf(2, times) },
        { manualReadings: [...list, ...list.map((one) => ({ ...one, station: 2 }))] },
      )
      for (const start of times.slice(0, sealed)) {
        const span = { kind: 'theme', source: 1, start, until: start + 1 } as const
        await storage.sealedDays.seal({ ...span, zone: zone('UTC') })
      }

      for (const [kind, source] of [
        ['theme', 1],
        ['raw', 2],
      ] as const)
        for (let isDone = false; !isDone;)
          ({ isDone } = await retention.expire({ kind, source, before: times[2]!, limit: 10 }))

      const left = await manualReadings.list({ station: 1, ...EVER, limit: 10 })
      assert.deepEqual(
        left.map(({ time }) => time),
        [times[2]],
      )
      const ofOther = await manualReadings.list({ station: 2, ...EVER, limit: 10 })
      assert.equal(ofOther.length, 3)
    })

  test('a station with readings is not removed, and readings are removed with its records', async () => {
    await using place = await newPlace()
    const { records, manualReadings, site } = await place.open()
    await records.write({}, { manualReadings: [reading(0), reading(0, { station: 2 })] })
    const nothing = { sensors: [], structures: [] }

    const held = await site.findHoldings({ stations: [1, 2, 3], ...nothing })
    const version = await site.version()
    await site.apply({ put: [], remove: [station(1)], withRecords: true }, version)
    await site.apply({ put: [], remove: [station(2)], withRecords: false }, version + 1)

    assert.deepEqual(held.stations, [1, 2])
    assert.deepEqual(await manualReadings.list({ station: 1, ...EVER, limit: 10 }), [])
    assert.equal((await manualReadings.list({ station: 2, ...EVER, limit: 10 })).length, 1)
  })
}
