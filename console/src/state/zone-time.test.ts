import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatIn, instantOf } from './zone-time.ts'

/** Changes of clocks, forward and back. */
const CHANGES: [timeZone: string, instant: number][] = [
  ['Asia/Shanghai', Date.UTC(1986, 8, 13, 15)],
  ['Europe/Berlin', Date.UTC(2026, 2, 29, 1)],
  ['Europe/Berlin', Date.UTC(2026, 9, 25, 1)],
  ['America/Los_Angeles', Date.UTC(2026, 2, 8, 10)],
  ['America/Los_Angeles', Date.UTC(2026, 10, 1, 9)],
]

test('an instant is found by what a clock of its zone shows, but in the hour that comes twice', () => {
  const zone = fc.constantFrom('Asia/Shanghai', 'Europe/Berlin', 'America/Los_Angeles', 'UTC')
  const ever = fc.tuple(zone, fc.integer({ min: 0, max: 2_000_000_000 }))
  const days = 2 * 86_400
  const nearChange = fc
    .tuple(fc.constantFrom(...CHANGES), fc.integer({ min: -days, max: days }))
    .map(([[timeZone, change], away]): [string, number] => [timeZone, change / 1000 + away])
  fc.assert(
    fc.property(fc.oneof(ever, nearChange), ([timeZone, at]) => {
      const local = formatIn(at * 1000, timeZone)
      const found = instantOf(local, timeZone)
      assert.equal(formatIn(found, timeZone), local)
      assert.ok(found <= at * 1000)
    }),
  )
})

test('the rest of a day on which clocks change has the offset of the new time', () => {
  assert.equal(instantOf('2026-10-25 10:00:00', 'Europe/Berlin'), Date.UTC(2026, 9, 25, 9))
  assert.equal(instantOf('2026-03-29 10:00:00', 'Europe/Berlin'), Date.UTC(2026, 2, 29, 8))
})

test('the first of two instants is taken, and a skipped time is after the change', () => {
  assert.equal(instantOf('2026-10-25 02:30:00', 'Europe/Berlin'), Date.UTC(2026, 9, 25, 0, 30))
  assert.equal(instantOf('2026-03-29 02:30:00', 'Europe/Berlin'), Date.UTC(2026, 2, 29, 1, 30))
})
