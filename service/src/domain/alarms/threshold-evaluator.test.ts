import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { parseIntervals } from './interval.ts'
import { zone } from '../time/local-time.ts'
import type { ThresholdLevel } from '../site/site-entry.ts'
import { DAY_MS } from '../time/wall-clock.ts'
import { compileThresholds, type ThresholdSettings } from './threshold-evaluator.ts'
import { isMoreSevere, type Hysteresis, type Severity } from './alarm-settings.ts'

const NOON = 12 * 3600

const TYPICAL: ThresholdLevel[] = [
  { level: 3, value: '(-10,-5);(5,10)' },
  { level: 2, value: '(-20,-10);(10,20)' },
  { level: 1, value: '(-,-20);(20,+)' },
]

const allDay = (
  thresholds: ThresholdLevel[],
  { item = 'x', hysteresis }: { item?: string; hysteresis?: Hysteresis } = {},
): ThresholdSettings => {
  const config = [{ startTime: null, endTime: null, thresholds }]
  return { items: [{ item, config, ...(hysteresis === undefined ? {} : { hysteresis }) }] }
}

const slots = (...table: [start: string, end: string, value: string][]): ThresholdSettings => {
  const config = table.map(([startTime, endTime, value]) => {
    return { startTime, endTime, thresholds: [{ level: 1, value }] }
  })
  return { items: [{ item: 'x', config }] }
}

const clock = (hour: number, minute = 0, second = 0) => (hour * 60 + minute) * 60 + second

const levelOf = (source: ThresholdSettings, value: number | null | undefined, second = NOON) =>
  compileThresholds([source], ['x'], 'lowestFirst').evaluate([value], second)[0]?.level

const outcomeOf = (source: ThresholdSettings, value: number | null) =>
  compileThresholds([source], ['x'], 'lowestFirst').outcomeOf('x', [value], NOON)

describe('a value', () => {
  test('has the level of the interval it lies in, and on an edge the more severe one', () => {
    const expected: [value: number, level: number | undefined][] = [
      [-21, 1],
      [-20, 1],
      [-15, 2],
      [-10, 2],
      [-7, 3],
      [-5, 3],
      [-4.999, undefined],
      [0, undefined],
      [4.999, undefined],
      [5, 3],
      [10, 2],
      [20, 1],
      [1e300, 1],
    ]
    for (const [value, level] of expected) {
      assert.equal(levelOf(allDay(TYPICAL), value), level, String(value))
    }
  })

  test('at X is over the threshold (X,+), and over [X,+) alike', () => {
    for (const value of ['(70,+)', '[70,+)']) {
      assert.equal(levelOf(allDay([{ level: 1, value }]), 70), 1)
      assert.equal(levelOf(allDay([{ level: 1, value }]), 69.999), undefined)
    }
  })

  test('that is not there, not a number or infinite is over no threshold', () => {
    for (const value of [null, undefined, NaN, Infinity, -Infinity]) {
      assert.equal(levelOf(allDay(TYPICAL), value), undefined)
    }
  })

  test('over thresholds that lie in each other has the worst level', () => {
    const nested = allDay([
      { level: 3, value: '(5,+)' },
      { level: 1, value: '(20,+)' },
      { level: 2, value: '(10,+)' },
    ])

    assert.deepEqual(
      [4, 5, 10, 15, 20, 25].map((value) => levelOf(nested, value)),
      [undefined, 3, 2, 2, 1, 1],
    )
  })

  test('between levels that count upwards belongs to the higher number', () => {
    const upwards = allDay([
      { level: 1, value: '(5,10)' },
      { level: 2, value: '(10,+)' },
    ])

    const [violation] = compileThresholds([upwards], ['x'], 'highestFirst').evaluate([10], NOON)

    assert.deepEqual(violation, { item: 'x', level: 2, limit: 'threshold (10,+)' })
  })

  test('is told with the interval it is in', () => {
    const thresholds = compileThresholds([allDay(TYPICAL)], ['x'], 'lowestFirst')

    assert.deepEqual(thresholds.evaluate([-12.5], NOON), [
      { item: 'x', level: 2, limit: 'threshold (-20,-10)' },
    ])
  })

  test('without hysteresis is normal as soon as it is over no threshold', () => {
    assert.equal(outcomeOf(allDay(TYPICAL), 5), 'violation')
    assert.equal(outcomeOf(allDay(TYPICAL), 4.999), 'normal')
    assert.equal(outcomeOf(allDay(TYPICAL), null), undefined)
  })

  test('is in the deadband until it is back by the hysteresis', () => {
    const absolute = allDay(TYPICAL, { hysteresis: { value: 1 } })
    const ofBand = allDay(TYPICAL, { hysteresis: { percent: 5 } })
    const ofLimit = allDay([{ level: 1, value: '(200,+)' }], { hysteresis: { percent: 5 } })

    assert.equal(outcomeOf(absolute, 4.01), 'deadband')
    assert.equal(outcomeOf(absolute, 4), 'normal')
    assert.equal(outcomeOf(absolute, -4.01), 'deadband')
    assert.equal(outcomeOf(absolute, -4), 'normal')
    assert.equal(outcomeOf(ofBand, 4.6), 'deadband')
    assert.equal(outcomeOf(ofBand, 4.5), 'normal')
    assert.equal(outcomeOf(ofLimit, 190.1), 'deadband')
    assert.equal(outcomeOf(ofLimit, 190), 'normal')
  })

  test('is never normal in a band that the hysteresis fills, which can be told beforehand', () => {
    const filled = allDay(TYPICAL, { hysteresis: { value: 6 } })
    const touched = allDay(TYPICAL, { hysteresis: { value: 5 } })

    assert.equal(outcomeOf(filled, 0), 'deadband')
    assert.deepEqual(compileThresholds([filled], ['x'], 'lowestFirst').closedGaps, [
      { low: -5, high: 5 },
    ])
    assert.equal(outcomeOf(touched, 0), 'normal')
    assert.equal(outcomeOf(touched, 0.1), 'deadband')
  })
})

describe('a record', () => {
  test('of several items names each that is over its thresholds', () => {
    const sources = [
      allDay(TYPICAL),
      allDay([{ level: 4, value: '(1,+)' }], { item: 'z' }),
      allDay([{ level: 1, value: '(1,+)' }], { item: 'gone' }),
    ]
    const thresholds = compileThresholds(sources, ['x', 'y', 'z'], 'lowestFirst')

    assert.deepEqual(thresholds.evaluate([6, 1e9, 2], NOON), [
      { item: 'x', level: 3, limit: 'threshold (5,10)' },
      { item: 'z', level: 4, limit: 'threshold (1,+)' },
    ])
  })

  test('covered by two batches has the worst level of either', () => {
    const sources = [
      allDay([{ level: 3, value: '(5,10)' }]),
      allDay([{ level: 2, value: '(8,9)' }]),
    ]
    const thresholds = compileThresholds(sources, ['x'], 'lowestFirst')

    assert.deepEqual(
      [6, 8.5, 9.5].map((value) => thresholds.evaluate([value], NOON)[0]?.level),
      [3, 2, 3],
    )
  })

  test('over nothing gives the same empty list every time', () => {
    const thresholds = compileThresholds([allDay(TYPICAL)], ['x'], 'lowestFirst')

    assert.equal(thresholds.evaluate([0], NOON), thresholds.evaluate([null], NOON))
  })
})

describe('time division', () => {
  const DAY_AND_NIGHT = slots(
    ['06:00:00', '22:00:00', '(70,+)'],
    ['22:00:00', '06:00:00', '(55,+)'],
  )

  test('takes the slot of the second, over midnight too, its start and not its end', () => {
    const expected: [second: number, level: number | undefined][] = [
      [clock(21, 59, 59), undefined],
      [clock(22), 1],
      [clock(23, 59, 59), 1],
      [0, 1],
      [clock(5, 59, 59), 1],
      [clock(6), undefined],
    ]
    for (const [second, level] of expected) {
      assert.equal(levelOf(DAY_AND_NIGHT, 60, second), level, String(second))
    }
    assert.equal(levelOf(DAY_AND_NIGHT, 70, clock(12)), 1)
  })

  test('leaves hours without a slot alone', () => {
    const night = slots(['22:00:00', '00:00:00', '(55,+)'])

    assert.equal(levelOf(night, 90, clock(23)), 1)
    assert.equal(levelOf(night, 90, 0), undefined)
    assert.equal(levelOf(night, 90, clock(21, 59, 59)), undefined)
  })

  test('follows the local clock on days on which it changes', () => {
    const berlin = zone('Europe/Berlin')
    const source = slots(['02:30:00', '03:30:00', '(0,+)'])
    const isOver = (iso: string): boolean => {
      const instant = Date.parse(iso)
      const local = instant + berlin.spanAt(instant).offset
      return levelOf(source, 1, Math.floor((local % DAY_MS) / 1000)) === 1
    }

    // Clocks go from 02:00 to 03:00 in spring and from 03:00 to 02:00 in autumn, both at 01:00 UTC.
    assert.equal(isOver('2026-03-29T00:59:59Z'), false)
    assert.equal(isOver('2026-03-29T01:00:00Z'), true)
    assert.equal(isOver('2026-03-29T01:30:00Z'), false)
    assert.equal(isOver('2026-10-25T00:30:00Z'), true)
    assert.equal(isOver('2026-10-25T01:00:00Z'), false)
    assert.equal(isOver('2026-10-25T01:30:00Z'), true)
    assert.equal(isOver('2026-10-25T02:30:00Z'), false)
  })
})

const end = fc.integer({ min: -6, max: 6 })
const pair = fc
  .tuple(fc.option(end, { nil: '-' }), fc.option(end, { nil: '+' }))
  .filter(([low, high]) => typeof low === 'string' || typeof high === 'string' || low < high)
  .map(([low, high]) => `(${low},${high})`)
const levels = fc.uniqueArray(fc.record({ level: fc.integer({ min: 1, max: 4 }), value: pair }), {
  selector: ({ level }) => level,
})

test('the compiled edges agree with a look at every interval', () => {
  const severity = fc.constantFrom<Severity>('lowestFirst', 'highestFirst')
  const property = fc.property(levels, severity, (thresholds, severity) => {
    const compiled = compileThresholds([allDay(thresholds)], ['x'], severity)
    for (let value = -7; value <= 7; value += 0.5) {
      let worst: number | undefined
      for (const { level, value: text } of thresholds) {
        const isIn = parseIntervals(text).some(({ low, high }) => value >= low && value <= high)
        if (isIn && (worst === undefined || isMoreSevere(level, worst, severity))) worst = level
      }

      assert.equal(compiled.evaluate([value], NOON)[0]?.level, worst, `${value}`)
    }
  })
  fc.assert(property, { numRuns: runs(500) })
})

test('a value is normal exactly when it is as far from every limit as the hysteresis says', () => {
  const margin = fc.integer({ min: 1, max: 8 }).map((half) => half / 2)
  const property = fc.property(levels, margin, (thresholds, margin) => {
    const source = allDay(thresholds, { hysteresis: { value: margin } })
    for (let value = -15; value <= 15; value += 0.5) {
      const distances = thresholds.flatMap(({ value: text }) =>
        parseIntervals(text).map(({ low, high }) => Math.max(low - value, value - high)),
      )
      const nearest = Math.min(Infinity, ...distances)

      const expected = nearest <= 0 ? 'violation' : nearest < margin ? 'deadband' : 'normal'
      assert.equal(outcomeOf(source, value), expected, `${value}`)
    }
  })
  fc.assert(property, { numRuns: runs(500) })
})
