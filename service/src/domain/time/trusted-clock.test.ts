import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import {
  confirmedAt,
  followClock,
  trustedTime,
  UNKNOWN_CLOCK,
  type TrustedClock,
} from './trusted-clock.ts'
import { zone } from './local-time.ts'
import { retentionCutoff } from '../retention/retention-period.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 0, 1)

const follow = (state: TrustedClock, now: number, elapsed = MINUTE): TrustedClock =>
  followClock(state, { now, elapsed, tolerance: DAY })

/** Follows a clock that goes on as the running time does. */
function run(state: TrustedClock, now: number, hours: number): TrustedClock {
  let followed = state
  for (let hour = 1; hour <= hours; hour++) followed = follow(followed, now + hour * HOUR, HOUR)
  return followed
}

test('a clock that goes as the running time does is trusted', () => {
  assert.deepEqual(run(confirmedAt(NOW), NOW, 100), confirmedAt(NOW + 100 * HOUR))
})

test('a jump of more than the tolerance is doubted, and the trusted time goes on by the running time', () => {
  const jumped = follow(confirmedAt(NOW), NOW + DAY + 2 * MINUTE)

  assert.deepEqual(jumped.doubted, { instant: NOW + DAY + 2 * MINUTE, ahead: 0, left: DAY })
  assert.equal(trustedTime(jumped, NOW + 9 * DAY, MINUTE), NOW + 2 * MINUTE)
})

test('a jump of the tolerance is not doubted', () => {
  assert.equal(follow(confirmedAt(NOW), NOW + DAY + MINUTE).doubted, null)
})

test('jumps add up, and running time takes as much off', () => {
  const first = follow(confirmedAt(NOW), NOW + 20 * HOUR, 0)

  assert.notEqual(follow(first, NOW + 40 * HOUR, 0).doubted, null)
  const rested = run(first, NOW + 20 * HOUR, 16)
  assert.equal(follow(rested, NOW + 36 * HOUR + 20 * HOUR, 0).doubted, null)
})

test('a doubted clock is confirmed when it went on so much running time', () => {
  const jumped = follow(confirmedAt(NOW), NOW + 99 * DAY, 0)

  assert.notEqual(run(jumped, NOW + 99 * DAY, 23).doubted, null)
  assert.deepEqual(run(jumped, NOW + 99 * DAY, 24), confirmedAt(NOW + 100 * DAY))
})

test('another jump begins the waiting anew', () => {
  const jumped = run(follow(confirmedAt(NOW), NOW + 99 * DAY, 0), NOW + 99 * DAY, 23)

  const again = follow(jumped, NOW + 300 * DAY, 0)

  assert.equal(again.doubted?.left, DAY)
})

test('a clock that comes back to where it is expected is believed at once', () => {
  const jumped = run(follow(confirmedAt(NOW), NOW + 99 * DAY, 0), NOW + 99 * DAY, 5)

  assert.deepEqual(follow(jumped, NOW + 5 * HOUR, 0), confirmedAt(NOW + 5 * HOUR))
})

test('while the clock stands in the past nothing later is counted from', () => {
  const early = follow(confirmedAt(NOW), 0, 0)

  assert.equal(trustedTime(early, MINUTE, MINUTE), MINUTE)
})

test('where nothing is known no time is trusted until so much running time has passed', () => {
  const first = follow(UNKNOWN_CLOCK, NOW, 0)

  assert.equal(trustedTime(first, NOW, 0), -Infinity)
  assert.equal(trustedTime(run(first, NOW, 23), NOW + DAY, 0), -Infinity)
  assert.equal(trustedTime(run(first, NOW, 24), NOW + DAY, 0), NOW + DAY)
})

test('deletion counts from at most two days too late while the clock is wrong for less than a day at a stretch', () => {
  const stretch = fc.record({
    isWrong: fc.boolean(),
    offset: fc.integer({ min: -20_000, max: 20_000 }).map((hours) => hours * HOUR),
    hours: fc.integer({ min: 1, max: 23 }),
    pause: fc.integer({ min: 0, max: 60 }).map((days) => days * DAY),
    isCreeping: fc.boolean(),
  })
  const term = fc.constantFrom('1d', '90d', '6mo', '10y')
  fc.assert(
    fc.property(fc.array(stretch, { maxLength: 12 }), term, (stretches, term) => {
      let truth = NOW
      let state = confirmedAt(truth)
      const utc = zone('UTC')
      const look = (clock: number, elapsed: number): void => {
        state = follow(state, clock, elapsed)
        const instant = trustedTime(state, clock, 0)
        assert.ok(instant <= truth + 2 * DAY, new Date(instant).toISOString())
        const cutoff = retentionCutoff(term, instant, utc)
        assert.ok(cutoff <= retentionCutoff(term, truth + 2 * DAY, utc))
      }
      for (const { isWrong, offset, hours, pause, isCreeping } of stretches) {
        truth += pause
        const wrong = (hour: number) => (isCreeping ? (offset * hour) / hours : offset)
        look(truth + (isWrong ? wrong(0) : 0), 0)
        for (let hour = 1; hour <= (isWrong ? hours : 0); hour++) {
          truth += HOUR
          look(truth + wrong(hour), HOUR)
        }
        // Then it is right for as long as a doubt lasts.
        look(truth, 0)
        for (let hour = 0; hour < 24; hour++) {
          truth += HOUR
          look(truth, HOUR)
        }
      }
    }),
    { numRuns: runs(1000) },
  )
})

test('a clock that goes back by more than the tolerance is doubted, and the trusted time is kept', () => {
  const early = follow(confirmedAt(NOW), 0, 0)

  assert.equal(early.trusted?.instant, NOW)
  assert.deepEqual(early.doubted, { instant: 0, ahead: 0, left: DAY })
})
