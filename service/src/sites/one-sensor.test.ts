import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConversionSettings } from '../domain/site-entry.ts'
import { findSensorClash } from './one-sensor.ts'

const conversion = (
  item: string,
  sensor: string,
  validFrom: string | null,
): ConversionSettings => ({
  kind: 'linear',
  item,
  sensor,
  validFrom,
  parameters: { k: 1 },
})

test('two items of one sensor stand beside each other', () => {
  assert.equal(findSensorClash([conversion('x', 'A', null), conversion('y', 'A', null)]), undefined)
})

test('a sensor may be replaced for all items at once', () => {
  const conversions = [
    conversion('x', 'B', '2026-02-01 00:00:00'),
    conversion('x', 'A', null),
    conversion('y', 'A', null),
    conversion('y', 'B', '2026-02-01 00:00:00'),
  ]

  assert.equal(findSensorClash(conversions), undefined)
})

test('two items of different sensors at one time are refused by name', () => {
  const clash = findSensorClash([conversion('x', 'A', null), conversion('y', 'B', null)])

  assert.match(clash ?? '', /^x and y are computed from different sensors/)
})

test('a replacement of one item alone is refused', () => {
  const clash = findSensorClash([
    conversion('x', 'A', null),
    conversion('y', 'A', null),
    conversion('y', 'B', '2026-02-01 00:00:00'),
  ])

  assert.notEqual(clash, undefined)
})
