import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { laterBy, millisecondsBetween, startOfClock } from './waveform-start.ts'

const clock = { year: 2018, month: 11, day: 30, hour: 17, minute: 29, second: 6 }

describe('the start of a waveform', () => {
  test('keeps nanoseconds beside whole milliseconds', () => {
    assert.deepEqual(startOfClock(clock, 331_590_001), {
      milliseconds: Date.UTC(2018, 10, 30, 17, 29, 6, 331),
      nanoseconds: 590_001,
    })
  })

  test('moves by nanoseconds of either sign, and back', () => {
    const nanoseconds = fc.integer({ min: -1e15, max: 1e15 })
    fc.assert(
      fc.property(fc.nat({ max: 999_999 }), nanoseconds, (first, moved) => {
        const start = { milliseconds: 1_700_000_000_000, nanoseconds: first }

        const later = laterBy(start, moved)

        assert.ok(later.nanoseconds >= 0 && later.nanoseconds < 1_000_000)
        assert.deepEqual(laterBy(later, -moved), start)
        const apart = millisecondsBetween(start, later)
        assert.ok(Math.abs(apart - moved / 1e6) <= 1e-6 + Math.abs(moved) * 1e-21)
      }),
    )
  })

  test('is of no clock that a calendar lacks', () => {
    for (const wrong of [
      { month: 2, day: 30 },
      { month: 13 },
      { month: 0 },
      { day: 0 },
      { day: 1.5 },
      { hour: 24 },
      { minute: 60 },
      { second: 61 },
      { second: -1 },
      { year: 0 },
      { year: NaN },
    ]) {
      assert.equal(startOfClock({ ...clock, ...wrong }), undefined, JSON.stringify(wrong))
    }
    assert.ok(startOfClock({ ...clock, second: 60 }))
  })
})
