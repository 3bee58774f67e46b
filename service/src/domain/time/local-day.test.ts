import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { localDayAt, localDays } from './local-day.ts'
import { zone } from './local-time.ts'

const HOUR = 3_600_000

const hours = (instant: number): number => {
  const { start, until } = localDayAt(instant, zone('Europe/Berlin'))
  return (until - start) / HOUR
}

describe('a local day', () => {
  it('begins and ends at the midnights of its zone', () => {
    const { start, until } = localDayAt(Date.UTC(2026, 2, 1, 18), zone('Asia/Shanghai'))
    assert.equal(new Date(start).toISOString(), '2026-03-01T16:00:00.000Z')
    assert.equal(new Date(until).toISOString(), '2026-03-02T16:00:00.000Z')
  })

  it('has 23 or 25 hours where clocks change', () => {
    assert.equal(hours(Date.UTC(2026, 2, 29, 12)), 23)
    assert.equal(hours(Date.UTC(2026, 9, 25, 12)), 25)
    assert.equal(hours(Date.UTC(2026, 5, 1, 12)), 24)
  })

  it('holds its instant, and the next one follows without a gap, in any zone at any time', () => {
    const names = [
      'Asia/Shanghai',
      'America/Sao_Paulo',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'America/Havana',
      'Pacific/Apia',
      '+08:00',
    ]
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.integer({ min: Date.UTC(1975, 0, 1), max: Date.UTC(2040, 0, 1) }),
        (name, instant) => {
          const [day, next] = localDays(instant, instant + 72 * HOUR, zone(name)).take(2)
          assert.ok(day!.start <= instant && instant < day!.until)
          assert.equal(next!.start, day!.until)
          assert.deepEqual(localDayAt(day!.start, zone(name)), day)
          assert.deepEqual(localDayAt(day!.until - 1, zone(name)), day)
        },
      ),
      { numRuns: runs(2000) },
    )
  })

  it('of a span are none where it is empty', () => {
    assert.deepEqual([...localDays(5, 5, zone('UTC'))], [])
  })
})
