import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import type { RaiseSettings } from './alarm-settings.ts'
import { compileOnDelay, type ReachedLevel } from './on-delay.ts'

const MINUTE = 60_000

type Reached = { minute: number; level: ReachedLevel }

/** The levels that are let through, record by record. */
function heldOf(settings: RaiseSettings, records: readonly Reached[]): ReachedLevel[] {
  const delay = compileOnDelay(settings, 'lowestFirst')
  let state: unknown = null
  return records.map(({ minute, level }) => {
    const next = delay.evaluate(state, { time: minute * MINUTE, level })
    ;({ state } = next)
    return next.held
  })
}

const everyMinute = (...levels: ReachedLevel[]): Reached[] =>
  levels.map((level, minute) => ({ minute, level }))

describe('an on-delay of records', () => {
  test('lets a level through that so many records in a row have reached', () => {
    const records = everyMinute(2, 2, null, 2, 2, 2, 2, null)

    assert.deepEqual(heldOf({ records: 3, of: 3 }, records), [
      null,
      null,
      null,
      null,
      null,
      2,
      2,
      null,
    ])
  })

  test('may ask for some of the newest records only', () => {
    const records = everyMinute(2, null, 2, null, 2, null, null, 2)

    assert.deepEqual(heldOf({ records: 3, of: 5 }, records), [
      null,
      null,
      null,
      null,
      2,
      null,
      null,
      null,
    ])
  })

  test('lets through the level that these records have in common, and a worse one later', () => {
    assert.deepEqual(heldOf({ records: 2, of: 2 }, everyMinute(1, 3, 1, 1)), [null, 3, 3, 1])
  })
})

describe('an on-delay of minutes', () => {
  test('lets a level through that all records have reached for so long', () => {
    const records = everyMinute(2, 2, 2, 2, null, 2, 2, 2)

    assert.deepEqual(heldOf({ minutes: 2 }, records), [null, null, 2, 2, null, null, null, 2])
  })

  test('counts the time of a milder level from the first record that reached it or a worse one', () => {
    assert.deepEqual(heldOf({ minutes: 2 }, everyMinute(1, 3, 1, 1, 1)), [null, null, 3, 3, 1])
  })

  test('is over with the second record, where records come more seldom', () => {
    const records = [
      { minute: 0, level: 1 },
      { minute: 1440, level: 1 },
    ]

    assert.deepEqual(heldOf({ minutes: 30 }, records), [null, 1])
  })
})

const settings = fc.oneof(
  fc
    .record({ records: fc.integer({ min: 2, max: 4 }), more: fc.nat(3) })
    .map(({ records, more }): RaiseSettings => ({ records, of: records + more })),
  fc.integer({ min: 1, max: 6 }).map((minutes): RaiseSettings => ({ minutes })),
)
const arrivals = fc.array(
  fc.record({
    after: fc.integer({ min: -2, max: 4 }),
    level: fc.constantFrom(null, 1, 2, 3),
  }),
  { maxLength: 30 },
)

/** The same by a look at all records: of each instant the last one, without those that were late. */
function lookBack(given: RaiseSettings, records: readonly Reached[]): ReachedLevel {
  const newest = records.at(-1)
  if (newest === undefined) return null
  const seen = new Map<number, ReachedLevel>()
  let latest = -Infinity
  let isLate = false
  for (const { minute, level } of records) {
    isLate = minute < latest
    if (isLate) continue
    seen.set(minute, level)
    latest = minute
  }
  if (isLate) return null
  const all = [...seen].map(([minute, level]) => ({ minute, level }))
  const reaches = (level: number) => (one: Reached) => one.level !== null && one.level <= level
  for (const level of [1, 2, 3]) {
    if ('minutes' in given) {
      const from = all.findLastIndex((one) => !reaches(level)(one)) + 1
      const first = all[from]
      if (first !== undefined && newest.minute - first.minute >= given.minutes) return level
    } else if (all.slice(-given.of).filter(reaches(level)).length >= given.records) return level
  }
  return null
}

test('lets through what a look at all records says, and says it again of the same record', () => {
  const property = fc.property(settings, arrivals, (given, steps) => {
    const delay = compileOnDelay(given, 'lowestFirst')
    const records: Reached[] = []
    let minute = 10
    let state: unknown = null
    for (const { after, level } of steps) {
      minute = Math.max(0, minute + after)
      records.push({ minute, level })
      const record = { time: minute * MINUTE, level }
      const next = delay.evaluate(state, record)
      const again = delay.evaluate(next.state, record)

      assert.equal(next.held, lookBack(given, records))
      assert.equal(again.state, next.state)
      assert.equal(again.held, next.held)
      assert.deepEqual(JSON.parse(JSON.stringify(next.state)), next.state)
      ;({ state } = next)
    }
  })
  fc.assert(property, { numRuns: runs(2000) })
})

test('the most severe level may be the highest', () => {
  const delay = compileOnDelay({ records: 2, of: 2 }, 'highestFirst')
  const first = delay.evaluate(null, { time: 0, level: 3 })

  assert.equal(delay.evaluate(first.state, { time: 1, level: 1 }).held, 1)
  assert.equal(delay.evaluate(first.state, { time: 1, level: 4 }).held, 3)
})
