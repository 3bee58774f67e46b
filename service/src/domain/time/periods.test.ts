import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { instants, ZONES } from './_zones.ts'
import { zone } from './local-time.ts'
import { HOUR_MS, Periods } from './periods.ts'

const MINUTE = 60_000
const DAY = 24 * HOUR_MS
const WIDTHS = [
  1000,
  15_000,
  MINUTE,
  30 * MINUTE,
  HOUR_MS,
  2 * HOUR_MS,
  3 * HOUR_MS,
  12 * HOUR_MS,
  DAY,
  2 * DAY,
  7 * DAY,
  112 * DAY,
]

const berlin = zone('Europe/Berlin')

/** The starts of the periods of some time, as local times, and their lengths in hours. */
function walk(periods: Periods, name: string, start: string, count: number): [string, number][] {
  const clock = zone(name)
  const found: [string, number][] = []
  let at = clock.toInstant(start)!
  while (found.length < count) {
    const period = periods.at(at)
    found.push([clock.toLocal(period.start), (period.end - period.start) / HOUR_MS])
    at = period.end
  }
  return found
}

const days = (name: string, time: string) => walk(new Periods(DAY, zone(name)), name, time, 3)

describe('periods of a local clock', () => {
  for (const name of ZONES)
    test(`in ${name} every instant is in one, and each begins where the one before it ends`, () => {
      const clock = zone(name)
      fc.assert(
        fc.property(instants(name), fc.constantFrom(...WIDTHS), (instant, width) => {
          const periods = new Periods(width, clock)
          const { start, end } = periods.at(instant)

          assert.ok(start <= instant && instant < end)
          for (const inside of [start, end - 1])
            assert.deepEqual(periods.at(inside), { start, end })
          assert.equal(periods.at(end).start, end)
          assert.equal(periods.at(start - 1).end, start)
        }),
        { numRuns: runs(3000) },
      )
    })

  for (const name of ZONES)
    test(`in ${name} they begin where the clock says so, or where it is changed`, () => {
      const clock = zone(name)
      fc.assert(
        fc.property(instants(name), fc.constantFrom(...WIDTHS), (instant, width) => {
          const { start } = new Periods(width, clock).at(instant)
          const local = start + clock.spanAt(start).offset

          if (clock.spanAt(start).start === start) return
          // 0001-01-01 was a Monday.
          assert.equal((local - Date.parse('0001-01-01T00:00:00Z')) % width, 0)
        }),
        { numRuns: runs(2000) },
      )
    })

  for (const name of ZONES)
    test(`in ${name} an hour is in one longer period, and shorter ones are in one hour`, () => {
      const clock = zone(name)
      fc.assert(
        fc.property(instants(name), fc.constantFrom(...WIDTHS), (instant, width) => {
          const one = new Periods(width, clock).at(instant)
          const hour = new Periods(HOUR_MS, clock).at(instant)
          const [outer, inner] = width < HOUR_MS ? [hour, one] : [one, hour]

          assert.ok(outer.start <= inner.start && inner.end <= outer.end)
        }),
        { numRuns: runs(2000) },
      )
    })

  for (const name of ZONES)
    test(`in ${name} they are counted, those that a clock skips as well`, () => {
      const clock = zone(name)
      const length = fc.integer({ min: 0, max: 300 })
      fc.assert(
        fc.property(instants(name), length, fc.constantFrom(...WIDTHS), (from, times, width) => {
          const periods = new Periods(width, clock)
          const to = from + Math.floor((times * width) / 7)
          let touched = 0
          for (let at = from; at <= to; at = periods.at(at).end) touched++

          const count = periods.count(from, to, 10_000)

          const skipped = name === 'Pacific/Apia' ? DAY / HOUR_MS : 2
          assert.ok(count >= touched && count <= touched + skipped, `${count} of ${touched}`)
          if (width <= HOUR_MS) assert.equal(count, touched)
        }),
        { numRuns: runs(500) },
      )
    })

  test('the hour that comes twice is two hours, each with its own half hours', () => {
    assert.deepEqual(
      walk(new Periods(HOUR_MS, berlin), 'Europe/Berlin', '2025-10-26 01:00:00', 4),
      [
        ['2025-10-26 01:00:00', 1],
        ['2025-10-26 02:00:00', 1],
        ['2025-10-26 02:00:00', 1],
        ['2025-10-26 03:00:00', 1],
      ],
    )
    assert.deepEqual(
      walk(new Periods(30 * MINUTE, berlin), 'Europe/Berlin', '2025-10-26 02:00:00', 4).map(
        ([time]) => time.slice(11, 16),
      ),
      ['02:00', '02:30', '02:00', '02:30'],
    )
  })

  test('longer ones last until the clock is past them: a day has 23 or 25 hours', () => {
    assert.deepEqual(walk(new Periods(DAY, berlin), 'Europe/Berlin', '2025-10-25 12:00:00', 3), [
      ['2025-10-25 00:00:00', 24],
      ['2025-10-26 00:00:00', 25],
      ['2025-10-27 00:00:00', 24],
    ])
    assert.deepEqual(
      walk(new Periods(2 * HOUR_MS, berlin), 'Europe/Berlin', '2025-10-26 00:00:00', 3),
      [
        ['2025-10-26 00:00:00', 2],
        ['2025-10-26 02:00:00', 3],
        ['2025-10-26 04:00:00', 2],
      ],
    )
    assert.deepEqual(
      walk(new Periods(3 * HOUR_MS, berlin), 'Europe/Berlin', '2025-03-30 00:00:00', 2),
      [
        ['2025-03-30 00:00:00', 2],
        ['2025-03-30 03:00:00', 3],
      ],
    )
  })

  test('a midnight that comes twice, or never, begins its day once', () => {
    assert.deepEqual(days('America/Havana', '2023-11-04 12:00:00'), [
      ['2023-11-04 00:00:00', 24],
      ['2023-11-05 00:00:00', 25],
      ['2023-11-06 00:00:00', 24],
    ])
    assert.deepEqual(days('America/Sao_Paulo', '2018-11-03 12:00:00'), [
      ['2018-11-03 00:00:00', 24],
      ['2018-11-04 01:00:00', 23],
      ['2018-11-05 00:00:00', 24],
    ])
    assert.deepEqual(days('Pacific/Apia', '2011-12-29 12:00:00'), [
      ['2011-12-29 00:00:00', 24],
      ['2011-12-31 00:00:00', 24],
      ['2012-01-01 00:00:00', 24],
    ])
  })

  test('where a clock is changed by half an hour, no hour overlaps another', () => {
    assert.deepEqual(
      walk(
        new Periods(HOUR_MS, zone('Australia/Lord_Howe')),
        'Australia/Lord_Howe',
        '2025-04-06 01:00:00',
        3,
      ),
      [
        ['2025-04-06 01:00:00', 1],
        ['2025-04-06 01:30:00', 0.5],
        ['2025-04-06 02:00:00', 1],
      ],
    )
  })

  test('hours begin at the full hour of zones that are off by minutes', () => {
    for (const name of ['Asia/Kolkata', 'Asia/Kathmandu'])
      assert.deepEqual(walk(new Periods(HOUR_MS, zone(name)), name, '2026-01-01 05:59:59', 2), [
        ['2026-01-01 05:00:00', 1],
        ['2026-01-01 06:00:00', 1],
      ])
  })

  test('weeks begin on Mondays', () => {
    assert.deepEqual(
      walk(new Periods(7 * DAY, berlin), 'Europe/Berlin', '2026-01-01 00:00:00', 2).map(
        ([time]) => time,
      ),
      ['2025-12-29 00:00:00', '2026-01-05 00:00:00'],
    )
  })

  test('a window that ends before it begins touches none', () => {
    for (const width of WIDTHS) assert.equal(new Periods(width, berlin).count(1, 0, 5), 0)
  })
})
