import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { instants, ZONES } from '../time/_zones.ts'
import { zone } from '../time/local-time.ts'
import { quietUntil, WEEKDAYS, type QuietHours } from './quiet-hours.ts'

const BERLIN = zone('Europe/Berlin')

const at = (local: string): number => BERLIN.toInstant(local)!

const until = (hours: QuietHours, local: string, level = 2): string | undefined => {
  const end = quietUntil([hours], level, at(local), BERLIN)
  return end === undefined ? undefined : BERLIN.toLocal(end)
}

const clock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom('00', '01', '30', '59'))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${minute}`)

const hours: fc.Arbitrary<QuietHours> = fc.record(
  {
    from: clock,
    to: clock,
    days: fc.uniqueArray(fc.constantFrom(...WEEKDAYS)),
    exceptLevels: fc.array(fc.integer({ min: 1, max: 3 })),
  },
  { requiredKeys: ['from', 'to'] },
)

describe('quiet hours', () => {
  test('begin with their first minute and end before their last', () => {
    const noon = { from: '12:00', to: '13:30' }

    assert.equal(until(noon, '2026-05-04 11:59:59'), undefined)
    assert.equal(until(noon, '2026-05-04 12:00:00'), '2026-05-04 13:30:00')
    assert.equal(until(noon, '2026-05-04 13:29:59'), '2026-05-04 13:30:00')
    assert.equal(until(noon, '2026-05-04 13:30:00'), undefined)
  })

  test('go over midnight, and belong to the day on which they begin', () => {
    const night = { from: '22:00', to: '06:00', days: ['fri'] } as const

    assert.equal(until(night, '2026-05-08 21:59:00'), undefined)
    assert.equal(until(night, '2026-05-08 22:00:00'), '2026-05-09 06:00:00')
    assert.equal(until(night, '2026-05-09 05:59:00'), '2026-05-09 06:00:00')
    assert.equal(until(night, '2026-05-08 05:59:00'), undefined)
    assert.equal(until(night, '2026-05-09 22:00:00'), undefined)
  })

  test('with both ends the same last the whole day', () => {
    const sunday = { from: '00:00', to: '00:00', days: ['sun'] } as const

    assert.equal(until(sunday, '2026-05-03 00:00:00'), '2026-05-04 00:00:00')
    assert.equal(until(sunday, '2026-05-04 00:00:00'), undefined)
  })

  test('do not hold for the levels that are excepted', () => {
    const night = { from: '22:00', to: '06:00', exceptLevels: [1] }

    assert.equal(until(night, '2026-05-08 23:00:00', 1), undefined)
    assert.notEqual(until(night, '2026-05-08 23:00:00', 2), undefined)
  })

  test('keep to the clock on the wall where it is read twice or never', () => {
    // On 2026-10-25 the clock goes back from three to two, on 2026-03-29 from two to three.
    const back = { from: '02:15', to: '02:45' }
    const firstTime = at('2026-10-25 02:20:00')
    const between = at('2026-10-25 02:50:00')
    const secondTime = firstTime + 3_600_000

    const ends = [firstTime, between, secondTime].map((instant) =>
      quietUntil([back], 2, instant, BERLIN),
    )

    assert.deepEqual(ends, [firstTime + 1_500_000, undefined, secondTime + 1_500_000])
    assert.equal(
      until({ from: '22:00', to: '02:30' }, '2026-03-29 01:59:00'),
      '2026-03-29 03:00:00',
    )
    assert.equal(until({ from: '22:00', to: '02:30' }, '2026-03-29 03:00:00'), undefined)
  })

  test('a level that is excepted from some is still quiet in others', () => {
    const periods = [
      { from: '00:00', to: '12:00', exceptLevels: [1] },
      { from: '02:00', to: '03:00' },
    ]

    const end = quietUntil(periods, 1, at('2026-05-04 02:30:00'), BERLIN)

    assert.equal(BERLIN.toLocal(end!), '2026-05-04 03:00:00')
  })

  test('are quiet throughout until the end they name, by the clock of any zone', () => {
    const cases = fc.constantFrom(...ZONES).chain((name) =>
      fc.record({
        name: fc.constant(name),
        instant: instants(name),
        periods: fc.array(hours, { maxLength: 3 }),
        level: fc.integer({ min: 1, max: 3 }),
        share: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      }),
    )

    fc.assert(
      fc.property(cases, ({ name, instant, periods, level, share }) => {
        const clockOf = zone(name)
        const end = quietUntil(periods, level, instant, clockOf)
        assert.equal(end !== undefined, isQuietByTheWall(periods, level, clockOf.toLocal(instant)))
        if (end === undefined) return
        assert.ok(end > instant)
        const between = Math.min(end - 1, Math.floor(instant + share * (end - instant)))
        assert.notEqual(quietUntil(periods, level, between, clockOf), undefined)
      }),
    )
  })
})

const minuteOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))

/** The same, minute by minute, from the text of the clock alone. */
function isQuietByTheWall(periods: readonly QuietHours[], level: number, local: string): boolean {
  const day = new Date(`${local.slice(0, 10)}T00:00:00Z`).getUTCDay()
  const minute = Number(local.slice(11, 13)) * 60 + Number(local.slice(14, 16))
  return periods.some(({ from, to, days, exceptLevels = [] }) => {
    if (exceptLevels.includes(level)) return false
    const begins = (offset: number) => days?.includes(WEEKDAYS[(day + 7 - offset) % 7]!) ?? true
    const start = minuteOf(from)
    const length = (minuteOf(to) - start + 1440) % 1440 || 1440
    return [0, 1].some((offset) => {
      const into = minute + offset * 1440 - start
      return begins(offset) && into >= 0 && into < length
    })
  })
}
