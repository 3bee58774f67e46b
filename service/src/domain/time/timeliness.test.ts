import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { zone } from './local-time.ts'
import { describeDistant, describePast, horizonOf, timelinessOf } from './timeliness.ts'

const NOW = Date.UTC(2026, 10, 22, 1, 58, 11)
const DAY = 86_400_000

test('a record is early beyond the tolerance, and distant beyond a day', () => {
  const ahead = [-DAY, 0, 300_000, 300_001, DAY, DAY + 1]

  const found = ahead.map((lead) => timelinessOf(NOW + lead, NOW, 300_000))

  assert.deepEqual(found, ['ordinary', 'ordinary', 'ordinary', 'early', 'early', 'distant'])
})

test('a record is ordinary at the horizon and before it, and never after it', () => {
  fc.assert(
    fc.property(fc.integer({ min: -3e8, max: 3e8 }), fc.nat(DAY), (lead, tolerance) => {
      const isOrdinary = timelinessOf(NOW + lead, NOW, tolerance) === 'ordinary'
      assert.equal(isOrdinary, NOW + lead <= horizonOf(NOW, tolerance))
    }),
  )
})

test('what is said of a distant record names both clocks in the zone of its structure', () => {
  const time = Date.UTC(2026, 10, 24, 2)

  assert.equal(
    describeDistant(time, NOW, zone('Asia/Shanghai')),
    "time 2026-11-24 10:00:00 is more than one day ahead of the service's clock (2026-11-22 09:58:11)",
  )
})

test('what is said of a record before the earliest time names both clocks', () => {
  const earliest = Date.UTC(2001, 0, 1)

  assert.equal(
    describePast(5000, { now: NOW, earliest, zone: zone('Asia/Shanghai') }),
    "time 1970-01-01 08:00:05 lies before 2001-01-01 08:00:00 (ingest.earliestTime): the service's clock says 2026-11-22 09:58:11",
  )
})
