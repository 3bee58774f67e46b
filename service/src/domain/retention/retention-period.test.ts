import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { localDayAt } from '../time/local-day.ts'
import { zone } from '../time/local-time.ts'
import { retentionCutoff } from './retention-period.ts'
import { instants, ZONES } from '../time/_zones.ts'

const DAY = 86_400_000

/** The local date that a term reaches back to, from a local time. */
function reach(term: string, now: string, zoneName = 'Asia/Shanghai'): string {
  const clock = zone(zoneName)
  return clock.toLocal(retentionCutoff(term, clock.toInstant(now)!, clock))
}

describe('a term', () => {
  it('of days or weeks reaches back to the start of a local day', () => {
    assert.equal(reach('1d', '2026-03-01 00:00:00'), '2026-02-28 00:00:00')
    assert.equal(reach('1d', '2026-03-01 23:59:59'), '2026-02-28 00:00:00')
    assert.equal(reach('90d', '2026-03-01 12:00:00'), '2025-12-01 00:00:00')
    assert.equal(reach('2w', '2026-03-01 12:00:00'), '2026-02-15 00:00:00')
  })

  it('of months or years is one of the calendar', () => {
    assert.equal(reach('1mo', '2026-03-15 12:00:00'), '2026-02-15 00:00:00')
    assert.equal(reach('18mo', '2026-03-15 12:00:00'), '2024-09-15 00:00:00')
    assert.equal(reach('10y', '2026-03-15 12:00:00'), '2016-03-15 00:00:00')
  })

  it('ends on the last day of a month that is too short', () => {
    assert.equal(reach('1mo', '2026-03-31 12:00:00'), '2026-02-28 00:00:00')
    assert.equal(reach('1mo', '2028-03-30 12:00:00'), '2028-02-29 00:00:00')
    assert.equal(reach('3mo', '2026-07-31 12:00:00'), '2026-04-30 00:00:00')
    assert.equal(reach('1y', '2028-02-29 12:00:00'), '2027-02-28 00:00:00')
    assert.equal(reach('4y', '2028-02-29 12:00:00'), '2024-02-29 00:00:00')
    assert.equal(reach('1y', '2025-02-28 12:00:00'), '2024-02-28 00:00:00')
  })

  it('counts days of the zone, whatever its clock did meanwhile', () => {
    const berlin = (term: string, now: string) => reach(term, now, 'Europe/Berlin')
    assert.equal(berlin('1d', '2026-03-30 00:00:00'), '2026-03-29 00:00:00')
    assert.equal(berlin('1d', '2026-10-26 00:00:00'), '2026-10-25 00:00:00')
    assert.equal(berlin('6mo', '2026-07-01 00:30:00'), '2026-01-01 00:00:00')
    // Clocks went forward at midnight: the day begins an hour later.
    assert.equal(reach('1d', '2018-11-05 12:00:00', 'America/Sao_Paulo'), '2018-11-04 01:00:00')
  })

  it('of longer than there are years keeps everything', () => {
    const now = Date.UTC(2026, 0, 1)
    assert.equal(retentionCutoff('2025y', now, zone('UTC')), Date.parse('0001-01-01T00:00:00Z'))
    for (const term of ['2026y', '2027y', '99999y'])
      assert.equal(retentionCutoff(term, now, zone('UTC')), -Infinity)
  })

  it('is refused in any other form', () => {
    for (const term of ['', '0d', '90', 'd', '1m', '1.5y', '-1d', '01d', ' 1d', '1d ', '100000d'])
      assert.throws(() => retentionCutoff(term, 0, zone('UTC')), /expected such as 90d/)
  })

  it('reaches back by its days to the start of one, in any zone at any time', () => {
    const moment = fc
      .constantFrom(...ZONES)
      .chain((name) => fc.tuple(fc.constant(name), instants(name)))
    fc.assert(
      fc.property(moment, fc.integer({ min: 1, max: 800 }), ([name, now], days) => {
        const clock = zone(name)

        const cutoff = retentionCutoff(`${days}d`, now, clock)

        assert.equal(localDayAt(cutoff, clock).start, cutoff)
        // Besides the part of today: one zone has skipped a date, and had another one twice.
        const age = (now - cutoff) / DAY
        assert.ok(age > days - 1.1 && age < days + 2.1, `${age} days for ${days}`)
      }),
      { numRuns: runs(2000) },
    )
  })

  it('never reaches back further as time goes on', () => {
    const term = fc.constantFrom('1d', '5w', '1mo', '11mo', '1y', '4y')
    fc.assert(
      fc.property(term, fc.integer({ min: 0, max: 20_000 }), (text, day) => {
        const today = retentionCutoff(text, day * DAY, zone('UTC'))
        assert.ok(today <= retentionCutoff(text, (day + 1) * DAY, zone('UTC')))
      }),
      { numRuns: runs(1000) },
    )
  })
})
