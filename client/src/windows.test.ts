import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { eachInWindows } from './each-in-windows.ts'
import { cutWindow, nextSeconds, type Window } from './windows.ts'

const { PlainDateTime, Instant } = Temporal
const BASE = PlainDateTime.from('2026-01-01T00:00:00')

const textOf = (time: Temporal.PlainDateTime): string =>
  time.toString({ smallestUnit: 'second' }).replace('T', ' ')

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Africa/Cairo',
  'Asia/Kathmandu',
]

type Item = { time: string; at: number }

/** A source of records as the service has it: instants, asked for by local times of a zone. */
function sourceIn(zone: string, instants: readonly number[]) {
  const items: Item[] = instants
    .toSorted((a, b) => a - b)
    .map((at) => ({ at, time: textOf(localOf(at, zone)) }))
  const instantOf = (text: string) =>
    PlainDateTime.from(text.replace(' ', 'T')).toZonedDateTime(zone).epochMilliseconds
  return ({ startTime, endTime }: Window): Item[] => {
    assert.ok(startTime <= endTime, 'the service refuses such a window')
    const [from, to] = [instantOf(startTime), instantOf(endTime) + 999]
    return items.filter(({ at }) => at >= from && at <= to)
  }
}

const localOf = (at: number, zone: string) =>
  Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDateTime()

/** The days on which clocks of these zones change, and one on which none does. */
const DAYS = [
  '2026-03-29',
  '2026-10-25',
  '2026-03-08',
  '2026-11-01',
  '2026-04-05',
  '2026-10-04',
  '2026-04-24',
  '2026-10-30',
  '2026-09-06',
  '2026-06-15',
]

const QUARTERS = 96

/** Ranges often begin and end at quarters of an hour, as those that people write do. */
const range = fc
  .tuple(
    fc.constantFrom(...DAYS),
    fc.integer({ min: -QUARTERS, max: QUARTERS }),
    fc.integer({ min: 1, max: 2 * QUARTERS }),
    fc.constantFrom(0, 0, 1, 499),
  )
  .map(([day, shift, length, seconds]) => {
    const start = PlainDateTime.from(`${day}T00:00:00`).add({ minutes: 15 * shift })
    return {
      startTime: textOf(start),
      endTime: textOf(start.add({ minutes: 15 * length, seconds })),
    }
  })

test('each record comes once and in order, whatever the windows are and when clocks change', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...ZONES),
      range,
      fc.integer({ min: 200, max: 900 }),
      fc.array(fc.constantFrom(1800, 3600, 3600, 5000, 86_400), { minLength: 1, maxLength: 5 }),
      async (zone, window, stepSeconds, lengths) => {
        const start = PlainDateTime.from(window.startTime.replace(' ', 'T'))
        const middle = start.toZonedDateTime(zone).epochMilliseconds
        const instants = Array.from(
          { length: (6 * 86_400) / stepSeconds },
          (_, at) => middle - 86_400_000 + at * stepSeconds * 1000,
        )
        const read = sourceIn(zone, instants)
        const expected = read(window).map(({ at }) => at)

        let part = 0
        const found: number[] = []
        const each = eachInWindows<Item>(
          window,
          async (asked) => [{ source: 1, records: read(asked) }],
          () => lengths[part++ % lengths.length]!,
        )
        for await (const { at } of each) found.push(at)

        assert.deepEqual(found, expected)
      },
    ),
    { numRuns: 100 },
  )
})

test('windows cover a range without gap and overlap, and have at most their seconds', () => {
  fc.assert(
    fc.property(
      range,
      fc.array(fc.constantFrom(1, 37, 900, 3600, 86_400), { minLength: 1 }),
      (whole, lengths) => {
        let rest: Window | undefined = whole
        let expected = whole.startTime
        for (let part = 0; rest !== undefined && part < 200; part++) {
          const seconds = lengths[part % lengths.length]!
          const { window, next } = cutWindow(rest, seconds)

          assert.equal(window.startTime, expected)
          assert.ok(window.endTime >= window.startTime && window.endTime <= whole.endTime)
          if (next === undefined) assert.equal(window.endTime, whole.endTime)
          else {
            assert.equal(secondsBetween(window.endTime, next), 1)
            assert.ok(secondsBetween(window.startTime, next) <= seconds + 1)
            assert.doesNotMatch(next, /:(00|15|30|45):00$/)
            expected = next
          }
          rest = next === undefined ? undefined : { startTime: next, endTime: whole.endTime }
        }
      },
    ),
  )
})

const secondsBetween = (from: string, to: string): number =>
  PlainDateTime.from(to.replace(' ', 'T'))
    .since(PlainDateTime.from(from.replace(' ', 'T')))
    .total('second')

test('windows become shorter where there are many records, and longer where there are few', () => {
  assert.equal(nextSeconds(3600, 0), 28_800)
  assert.equal(nextSeconds(3600, 20_000), 3600)
  assert.equal(nextSeconds(3600, 200_000), 360)
  assert.equal(nextSeconds(1, 9_000_000), 1)
})

test('records of several sources come by their time, of equal times in the order of the sources', async () => {
  const lists: Record<number, string[]> = { 7: ['01', '03', '03'], 3: ['02', '03'], 9: [] }
  const sources = Object.entries(lists).map(([id, seconds]) => ({
    source: Number(id),
    records: seconds.map((second) => ({ time: `2026-01-01 00:00:${second}`, id })),
  }))
  const window = { startTime: textOf(BASE), endTime: '2026-01-01 00:10:00' }

  const found = await Array.fromAsync(eachInWindows(window, async () => sources.toReversed()))

  assert.deepEqual(
    found.map(({ time, id }) => `${id} ${time.slice(-2)}`),
    ['7 01', '3 02', '7 03', '7 03', '3 03'],
  )
})

test('a time that is none is named before anything is asked', async () => {
  const each = eachInWindows({ startTime: '2026-01-01', endTime: '2026-01-02' }, async () => [])

  await assert.rejects(each.next(), { name: 'TypeError', message: /"2026-01-0\d" is no local/ })
})

test('a window that ends in an hour that clocks skip does not double what comes after it', async () => {
  const first = Temporal.Instant.from('2026-03-29T00:00:00Z').epochMilliseconds
  const read = sourceIn(
    'Europe/Berlin',
    Array.from({ length: 40 }, (_, at) => first + at * 300_000),
  )
  const window = { startTime: '2026-03-29 01:40:00', endTime: '2026-03-29 03:50:00' }

  const each = eachInWindows<Item>(
    window,
    async (asked) => [{ source: 1, records: read(asked) }],
    () => 1800,
  )

  const found = await Array.fromAsync(each)
  assert.deepEqual(
    found.map(({ at }) => at),
    read(window).map(({ at }) => at),
  )
})
