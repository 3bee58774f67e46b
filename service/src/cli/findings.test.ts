import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../test/_random.ts'
import { countPlaces, formatFindings, type Finding } from './findings.ts'

const W1 = { kind: 'station', id: 2001, name: 'W-01' } as const
const S1 = { kind: 'sensor', id: 'u-u', name: 'VW-01' } as const
const DAY = 86_400_000

test('findings of a station are lines of their damages, with their days', () => {
  const findings: Finding[] = [
    { damage: 'The table alarms is malformed' },
    { source: W1, day: '2026-03-02', damage: 'its header is damaged' },
    { source: S1, day: '2026-03-02', damage: 'its header is damaged' },
    { source: W1, day: '2026-02-28', damage: 'its header is damaged' },
    { source: W1, day: '2026-03-01', damage: 'its header is damaged' },
    { source: W1, day: '2026-03-01', damage: 'its header is damaged' },
    { source: W1, day: '2026-03-09', damage: 'its header is damaged' },
    { source: W1, day: '2026-03-09', damage: 'its times are damaged' },
  ]

  assert.deepEqual(formatFindings(findings), [
    'The table alarms is malformed',
    'Station 2001 "W-01", 2026-02-28 to 2026-03-02, 2026-03-09: its header is damaged',
    'Station 2001 "W-01", 2026-03-09: its times are damaged',
    'Sensor u-u "VW-01", 2026-03-02: its header is damaged',
  ])
  assert.equal(countPlaces(findings), 6)
})

test('many ranges of days are counted after the eighth', () => {
  const findings = Array.from({ length: 10 }, (_, at) => ({
    source: W1,
    day: new Date(at * 2 * DAY).toISOString().slice(0, 10),
    damage: 'its header is damaged',
  }))

  const [line = ''] = formatFindings(findings)

  assert.match(line, /, 1970-01-15, and 2 more days: its header is damaged$/)
})

test('each day of a station is in exactly one range', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(12), { minLength: 1 }), (days) => {
      const dates = days.map((day) => new Date(day * DAY).toISOString().slice(0, 10))
      const findings = dates.map((day) => ({ source: W1, day, damage: 'x' }))

      const [line = '', ...others] = formatFindings(findings)

      assert.equal(others.length, 0)
      const shown = line
        .slice('Station 2001 "W-01", '.length, -': x'.length)
        .split(', ')
        .flatMap((range) => {
          const [first = '', last = first] = range.split(' to ')
          const count = (Date.parse(last) - Date.parse(first)) / DAY + 1
          return Array.from({ length: count }, (_, at) =>
            new Date(Date.parse(first) + at * DAY).toISOString().slice(0, 10),
          )
        })
      assert.deepEqual(shown, dates.toSorted())
    }),
    { numRuns: runs(500) },
  )
})
