import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { zone } from './local-time.ts'
import { formatMoment, formatOffsetTime, formatUtc } from './offset-text.ts'

const YEARS = { min: Date.UTC(1800, 0, 1), max: Date.UTC(2200, 0, 1) }
const ZONES = ['Asia/Shanghai', 'Europe/Berlin', 'America/St_Johns', 'Africa/Monrovia', 'UTC']

const offsetAt = (name: string, instant: number) => zone(name).spanAt(instant).offset

test('a local time has the milliseconds that it has, before 1970 too', () => {
  const shanghai = zone('+08:00')

  for (const [instant, text] of [
    [0, '1970-01-01 08:00:00'],
    [250, '1970-01-01 08:00:00.250'],
    [1001, '1970-01-01 08:00:01.001'],
    [-1, '1970-01-01 07:59:59.999'],
    [-1000, '1970-01-01 07:59:59'],
  ] as const)
    assert.equal(formatMoment(instant, shanghai), text)
})

test('the hour that comes twice is told apart by its offset', () => {
  const summer = Date.UTC(2026, 9, 25, 0, 30)
  const winter = summer + 3_600_000

  const texts = [summer, winter].map((at) => formatOffsetTime(at, offsetAt('Europe/Berlin', at)))

  assert.deepEqual(texts, ['2026-10-25T02:30:00.000+02:00', '2026-10-25T02:30:00.000+01:00'])
})

test('west of Greenwich the offset is negative, half hours too', () => {
  assert.equal(formatOffsetTime(5, -12_600_000), '1969-12-31T20:30:00.005-03:30')
})

test('whatever the clock and the year, the text means the same instant', () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), fc.integer(YEARS), (name, instant) => {
      const text = formatOffsetTime(instant, offsetAt(name, instant))

      assert.equal(Date.parse(text), instant, text)
      assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/)
    }),
  )
})

test('in UTC it is what the runtime writes', () => {
  fc.assert(
    fc.property(fc.integer(YEARS), (instant) => {
      assert.equal(formatUtc(instant), new Date(instant).toISOString())
    }),
  )
})
