import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { instants, ZONES } from './_zones.ts'
import { parseInstant, zone } from './local-time.ts'
import { isSkipped } from './skipped-time.ts'

const skips = (text: string, name: string): boolean =>
  isSkipped(text, parseInstant(text, zone(name))!, zone(name))

describe('a local time', () => {
  test('is skipped from the change up to before its end', () => {
    const cases: [string, boolean][] = [
      ['2024-03-31 01:59:59', false],
      ['2024-03-31 02:00:00', true],
      ['2024-03-31T02:00', true],
      ['2024-03-31 02:59:59.999', true],
      ['2024-03-31 03:00:00', false],
      ['2024-03-31 03:30:00', false],
      ['2024-10-27 02:30:00', false],
    ]
    for (const [text, expected] of cases) assert.equal(skips(text, 'Europe/Vienna'), expected, text)
  })

  test('is skipped on the day that Samoa left out', () => {
    assert.equal(skips('2011-12-30 23:59:59', 'Pacific/Apia'), true)
    assert.equal(skips('2011-12-31 23:59:59', 'Pacific/Apia'), false)
  })

  test('with an offset is never skipped', () => {
    for (const offset of ['Z', '+01:00', '-0100', '.5+02:00'])
      assert.equal(skips(`2024-03-31T02:30:00${offset}`, 'Europe/Vienna'), false, offset)
  })

  for (const name of ZONES)
    test(`of ${name} is skipped where Temporal does not find it`, () => {
      const property = fc.property(instants(name), (wall) => {
        const local = zone('UTC').toLocal(wall)
        const found = Temporal.PlainDateTime.from(local).toZonedDateTime(name).toPlainDateTime()
        assert.equal(skips(local, name), !found.equals(Temporal.PlainDateTime.from(local)))
      })
      fc.assert(property, { numRuns: runs(500) })
    })
})
