import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatIn, instantOf } from './zone-time.ts'

test('an instant is found by what a clock of its zone shows, but in the hour that comes twice', () => {
  const zone = fc.constantFrom('Asia/Shanghai', 'Europe/Berlin', 'America/Los_Angeles', 'UTC')
  const seconds = fc.integer({ min: 0, max: 2_000_000_000 })
  fc.assert(
    fc.property(seconds, zone, (at, timeZone) => {
      const local = formatIn(at * 1000, timeZone)
      const found = instantOf(local, timeZone)
      assert.equal(formatIn(found, timeZone), local)
      assert.ok(found <= at * 1000)
    }),
  )
})

test('the first of two instants is taken, and a skipped time is after the change', () => {
  assert.equal(instantOf('2026-10-25 02:30:00', 'Europe/Berlin'), Date.UTC(2026, 9, 25, 0, 30))
  assert.equal(instantOf('2026-03-29 02:30:00', 'Europe/Berlin'), Date.UTC(2026, 2, 29, 1, 30))
})
