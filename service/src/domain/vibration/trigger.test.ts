import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { formatTrigger, nanosecondsOf, secondOf } from './trigger.ts'

describe('the trigger of a waveform', () => {
  for (const [text, nanoseconds] of [
    ['2026-03-01 12:00:00.123456789', 456_789],
    ['2026-03-01T12:00:00.1234Z', 400_000],
    ['2026-03-01T12:00:00.0000005+08:00', 500],
    ['2026-03-01 12:00:00.1234567891', 456_789],
    ['2026-03-01 12:00:00.123', 0],
    ['2026-03-01 12:00:00', 0],
    [1_700_000_000_000, 0],
  ] as const)
    test(`${text} lies ${nanoseconds} ns beyond its millisecond`, () => {
      assert.equal(nanosecondsOf(text), nanoseconds)
    })

  test('is formatted with all its digits, and parsed exactly', () => {
    const time = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 })
    const property = fc.property(time, fc.nat(999_999), (time, nanoseconds) => {
      const text = formatTrigger({ time, nanoseconds })

      assert.match(text, /T\d\d:\d\d:\d\d\.\d{3,9}Z$/)
      assert.equal(Date.parse(`${text.slice(0, 23)}Z`), time)
      assert.equal(nanosecondsOf(text), nanoseconds)
    })
    fc.assert(property)
  })

  test('lies in the second that began before it, before 1970 too', () => {
    assert.deepEqual(
      [1999, 2000, 0, -1, -1000, -1001].map(secondOf),
      [1000, 2000, 0, -1000, -1000, -2000],
    )
  })
})
