import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { instants, ZONES } from '../time/_zones.ts'
import {
  mergeSummaries,
  summarizeHours,
  type HourSummary,
  type ItemSummary,
} from './hour-summary.ts'
import { zone } from '../time/local-time.ts'
import { recordKey, recordText } from './record-text.ts'

const MINUTE = 60_000
const berlin = zone('Europe/Berlin')

type Values = ReadonlyMap<string, number>
type Sent = { time: number; values: Values }

const textsOf = (sent: readonly Sent[], clock = berlin): string =>
  sent
    .map(({ time, values }) =>
      recordText([...values.keys()].map(recordKey), [...values.values()], clock.toLocal(time)),
    )
    .join(',')

const summaryOf = (sent: readonly Sent[], clock = berlin): HourSummary[] =>
  summarizeHours(
    textsOf(sent, clock),
    sent.map(({ time }) => time),
    clock,
  )

const one = (time: number, value: number): Sent => ({ time, values: new Map([['x', value]]) })

const value = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => (one === 0 ? 0 : one)),
  fc.integer({ min: -99_999, max: 99_999 }).map((whole) => whole / 100),
)
const key = fc.oneof(
  fc.constantFrom('x', '__proto__', 'constructor', 'toString', 'it\'s "quoted"', '应变', 'a\\'),
  fc.string({ unit: 'binary', minLength: 1 }).filter((text) => text !== 'time'),
)
const values = fc.uniqueArray(fc.tuple(key, value), {
  selector: ([name]) => name,
  minLength: 1,
  maxLength: 4,
})

const twentyFiveHours = (from: number): HourSummary[] =>
  summaryOf(Array.from({ length: 25 * 60 }, (_, at) => one(from + at * MINUTE, at)))

const single = (value: number): ItemSummary => ({
  minimum: value,
  maximum: value,
  sum: value,
  count: 1,
  first: value,
  last: value,
})

describe('hours summed up', () => {
  test('have of each item minimum, maximum, sum, count, first and last', () => {
    const start = Date.UTC(2026, 2, 1, 11)
    const sent = [
      { time: start, values: new Map([['x', 2]]) },
      {
        time: start + MINUTE,
        values: new Map([
          ['x', 5],
          ['y', -1],
        ]),
      },
      { time: start + 2 * MINUTE, values: new Map([['x', 1.5]]) },
      { time: start + 60 * MINUTE, values: new Map([['y', 1e-7]]) },
    ]

    assert.deepEqual(summaryOf(sent), [
      {
        start,
        items: new Map([
          ['x', { minimum: 1.5, maximum: 5, sum: 8.5, count: 3, first: 2, last: 1.5 }],
          ['y', { minimum: -1, maximum: -1, sum: -1, count: 1, first: -1, last: -1 }],
        ]),
      },
      {
        start: start + 60 * MINUTE,
        items: new Map([
          ['y', { minimum: 1e-7, maximum: 1e-7, sum: 1e-7, count: 1, first: 1e-7, last: 1e-7 }],
        ]),
      },
    ])
  })

  test('are 25 of the day on which an hour comes twice, and 23 of the one that misses one', () => {
    const autumn = twentyFiveHours(Date.UTC(2025, 9, 25, 22))
    assert.equal(autumn.length, 25)
    assert.ok(autumn.every(({ items }) => items.get('x')!.count === 60))
    const spring = twentyFiveHours(Date.UTC(2025, 2, 29, 23)).filter(({ start }) =>
      berlin.toLocal(start).startsWith('2025-03-30'),
    )
    assert.equal(spring.length, 23)
  })

  test('begin at the full local hour, whatever minutes a zone is off by', () => {
    for (const name of ['Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Asia/Shanghai']) {
      const [hour] = summaryOf([one(Date.UTC(2026, 0, 1, 3, 17), 1)], zone(name))
      assert.match(zone(name).toLocal(hour!.start), /:00:00$/)
    }
  })

  test('of no records are none', () => {
    assert.deepEqual(summarizeHours('', [], berlin), [])
    assert.deepEqual(summarizeHours(new Uint8Array(), [], berlin), [])
  })

  test('are what adding up record by record gives, whatever keys and values are', () => {
    const times = fc.constantFrom(...ZONES).chain((name) =>
      fc.record({
        name: fc.constant(name),
        start: instants(name),
        steps: fc.array(fc.tuple(fc.integer({ min: 0, max: 40 * MINUTE }), values)),
      }),
    )
    fc.assert(
      fc.property(times, ({ name, start, steps }) => {
        const clock = zone(name)
        let time = start
        const sent = steps.map(([step, pairs]) => ({
          time: (time += step),
          values: new Map(pairs),
        }))
        const text = textsOf(sent, clock)

        const hours = summarizeHours(
          Buffer.from(text),
          sent.map((one) => one.time),
          clock,
        )

        const expected = new Map<string, Map<string, number[]>>()
        for (const { time, values } of sent) {
          const { offset, start } = clock.spanAt(time)
          const hour = `${start} ${clock.toLocal(time).slice(0, 13)} ${offset}`
          const items = expected.get(hour) ?? new Map<string, number[]>()
          expected.set(hour, items)
          for (const [key, value] of values) items.set(key, [...(items.get(key) ?? []), value])
        }
        assert.deepEqual(
          hours.map(({ items }) => items),
          [...expected.values()].map(
            (items) =>
              new Map(
                [...items].map(([key, list]) => [
                  key,
                  {
                    minimum: Math.min(...list),
                    maximum: Math.max(...list),
                    sum: list.reduce((sum, value) => sum + value),
                    count: list.length,
                    first: list[0],
                    last: list.at(-1),
                  },
                ]),
              ),
          ),
        )
        assert.ok(hours.every(({ start }, at) => at === 0 || start > hours[at - 1]!.start))
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('merging two summaries of one hour', () => {
  const start = Date.UTC(2026, 2, 1, 11)
  const hourOf = (list: readonly (readonly [string, number])[], from: number): HourSummary =>
    summaryOf(
      list.map(([key, value], at) => ({
        time: start + from + at,
        values: new Map([[key, value]]),
      })),
    )[0]!

  test('gives the first of the earlier and the last of the later one', () => {
    const merged = mergeSummaries(
      hourOf(
        [
          ['x', 1],
          ['x', 4],
          ['y', 7],
        ],
        0,
      ),
      hourOf(
        [
          ['x', -2],
          ['x', 3],
          ['z', 9],
        ],
        100,
      ),
    )

    assert.deepEqual(merged, {
      start,
      items: new Map([
        ['x', { minimum: -2, maximum: 4, sum: 6, count: 4, first: 1, last: 3 }],
        ['y', single(7)],
        ['z', single(9)],
      ]),
    })
  })

  test('changes neither of them', () => {
    const [a, b] = [hourOf([['x', 1]], 0), hourOf([['x', 2]], 100)]
    const before = structuredClone([a, b])

    mergeSummaries(a, b)

    assert.deepEqual([a, b], before)
  })

  test('is what summing up all records gives, of whole numbers', () => {
    const pairs = fc.array(
      fc.tuple(fc.constantFrom('x', 'y'), fc.integer({ min: -1000, max: 1000 })),
      { minLength: 2, maxLength: 30 },
    )
    fc.assert(
      fc.property(pairs, fc.nat(), (list, nat) => {
        const cut = 1 + (nat % (list.length - 1))
        const merged = mergeSummaries(hourOf(list.slice(0, cut), 0), hourOf(list.slice(cut), cut))

        assert.deepEqual(merged, hourOf(list, 0))
      }),
    )
  })
})
