import assert from 'node:assert/strict'
import test from 'node:test'
import type { HourSummary, ItemSummary } from '../../src/domain/records/hour-summary.ts'
import { zone, type Zone } from '../../src/domain/time/local-time.ts'
import type { HourQuery, Storage } from '../../src/storage/storage.ts'
import { EVER, type NewPlace } from './_place.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const berlin = zone('Europe/Berlin')

type Sent = { time: number; values: Record<string, number> }

const write = (storage: Storage, sent: readonly Sent[], clock: Zone = berlin, source = 1) =>
  storage.records.write({
    theme: {
      sources: sent.map(() => source),
      times: sent.map(({ time }) => time),
      records: sent.map(({ time, values }) =>
        JSON.stringify({ ...values, time: clock.toLocal(time) }),
      ),
    },
  })

const read = (storage: Storage, query: Partial<HourQuery> = {}): Promise<HourSummary[]> =>
  Array.fromAsync(
    storage.records.readHours({ kind: 'theme', source: 1, zone: berlin, ...EVER, ...query }),
  )

/** The local hours of records, added up one by one. */
function expected(sent: readonly Sent[], clock: Zone = berlin): HourSummary[] {
  const hours = new Map<number, HourSummary>()
  for (const { time, values } of sent) {
    const { offset, start: changed } = clock.spanAt(time)
    const start = Math.max(Math.floor((time + offset) / HOUR) * HOUR - offset, changed)
    const hour = hours.get(start) ?? { start, items: new Map<string, ItemSummary>() }
    hours.set(start, hour)
    for (const [key, value] of Object.entries(values)) {
      const known = hour.items.get(key)
      hour.items.set(key, {
        minimum: Math.min(known?.minimum ?? value, value),
        maximum: Math.max(known?.maximum ?? value, value),
        sum: (known?.sum ?? 0) + value,
        count: (known?.count ?? 0) + 1,
        first: known?.first ?? value,
        last: value,
      })
    }
  }
  return [...hours.values()]
}

/** One record a step, of whole hundredths, so that no sum depends on its order. */
const every = (step: number, count: number, from: number): Sent[] =>
  Array.from({ length: count }, (_, at) => ({
    time: from + at * step,
    values: { x: ((at * 7919) % 1000) - 500, ...(at % 5 === 0 ? { y: at } : {}) },
  }))

const within = (sent: readonly Sent[], from: number, to: number): Sent[] =>
  sent.filter(({ time }) => time >= from && time <= to)

export function hourFacts(newPlace: NewPlace): void {
  const start = Date.UTC(2026, 2, 1)

  test('hours come ascending, each once, over several pages of records', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const sent = every(MINUTE, 5_003, start + 17 * MINUTE)
    await write(storage, sent)

    assert.deepEqual(await read(storage), expected(sent))
  })

  test('an hour at the edge of the window has only the records within it', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const sent = every(MINUTE, 600, start)
    await write(storage, sent)

    for (const [from, to] of [
      [90 * MINUTE, 205 * MINUTE],
      [90 * MINUTE, 95 * MINUTE],
      [120 * MINUTE, 180 * MINUTE - 1],
      [120 * MINUTE, 180 * MINUTE],
      [-HOUR, 10_000 * HOUR],
      [601 * MINUTE, 900 * MINUTE],
      [5, 4],
    ] as const) {
      const window = { from: start + from, to: start + to }
      assert.deepEqual(
        await read(storage, window),
        expected(within(sent, window.from, window.to)),
        `${from} ${to}`,
      )
    }
  })

  test('days without records leave no trace', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const sent = [-9_000, -1, 0, 3, 400].flatMap((day) => every(HOUR / 2, 9, start + day * DAY))
    await write(storage, sent)

    assert.deepEqual(await read(storage), expected(sent))
    assert.deepEqual(await read(storage, { source: 2 }), [])
    assert.deepEqual(await read(storage, { kind: 'raw' }), [])
    for (const [first, last] of [
      [-1, 2],
      [1, 200],
      [1, 400],
      [2, 3],
      [4, 500],
      [-9_500, -9_200],
      [-9_500, 1],
    ] as const) {
      const window = { from: start + first * DAY, to: start + last * DAY }
      assert.deepEqual(
        await read(storage, window),
        expected(within(sent, window.from, window.to)),
        `from day ${first} to day ${last}`,
      )
    }
  })

  test('cached hours do not include a deleted record', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const sent = every(MINUTE, 2 * 1440, start)
    await write(storage, sent)
    assert.deepEqual(await read(storage), expected(sent))

    const [gone, ...others] = sent
    await storage.records.write({}, { deletions: { theme: { sources: [1], times: [gone!.time] } } })

    assert.deepEqual(await read(storage), expected(others))
  })

  test('the hour that comes twice is two, with records in either pass', async () => {
    const change = Date.UTC(2025, 9, 26, 1)
    for (const [from, count] of [
      [change - 2 * HOUR, 24],
      [change - HOUR, 12],
      [change, 6],
      [change - HOUR, 6],
      [change + 30 * MINUTE, 12],
    ] as const) {
      await using place = await newPlace()
      const storage = await place.open()
      const sent = every(10 * MINUTE, count, from)
      await write(storage, sent)

      assert.deepEqual(await read(storage), expected(sent), `${count} from ${from - change}`)
      const window = { from: change - 20 * MINUTE, to: change + 20 * MINUTE }
      assert.deepEqual(
        await read(storage, window),
        expected(within(sent, window.from, window.to)),
        `the window of ${count} from ${from - change}`,
      )
    }
  })

  for (const name of ['Asia/Kolkata', 'Australia/Lord_Howe', 'America/New_York', '+08:00'])
    test(`hours of two years follow the clock of ${name}`, async () => {
      await using place = await newPlace()
      const storage = await place.open()
      const sent = every(37 * MINUTE, 28_400, Date.UTC(2024, 0, 1))
      await write(storage, sent, zone(name))

      assert.deepEqual(await read(storage, { zone: zone(name) }), expected(sent, zone(name)))
    })

  test('with an item only its values are read, in the hours that have it', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const sent = every(25 * MINUTE, 100, start)
    await write(storage, sent)

    const found = await read(storage, { item: 'y' })

    const wanted = sent.flatMap(({ time, values: { y } }) =>
      y === undefined ? [] : [{ time, values: { y } }],
    )
    assert.deepEqual(found, expected(wanted))
    assert.deepEqual(await read(storage, { item: 'z' }), [])
  })

  test('keys are data, __proto__ as well', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const records = ['__proto__', 'constructor', 'it\'s "quoted"', '应变', '\ud800'].map(
      (key) => `{${JSON.stringify(key)}:-1.5e-7,"time":"2026-03-01 01:00:00"}`,
    )
    const times = records.map((_, at) => start + at)
    await storage.records.write({ theme: { sources: records.map(() => 1), times, records } })

    const [hour] = await read(storage)

    assert.deepEqual(
      [...hour!.items.keys()],
      ['__proto__', 'constructor', 'it\'s "quoted"', '应变', '\ud800'],
    )
    assert.equal(hour!.items.get('__proto__')!.sum, -1.5e-7)
  })
}
