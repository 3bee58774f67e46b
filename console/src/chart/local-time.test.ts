import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatLocal, parseLocal } from './local-time.ts'

test('a local time is read back as it was written', () => {
  fc.assert(
    fc.property(fc.integer({ min: -2e12, max: 4e12 }), (milliseconds) => {
      assert.equal(parseLocal(formatLocal(milliseconds / 1000)), milliseconds / 1000)
    }),
  )
})

test('milliseconds are written where there are any', () => {
  assert.equal(formatLocal(parseLocal('2022-04-11 08:36:24')), '2022-04-11 08:36:24')
  assert.equal(formatLocal(parseLocal('2022-04-11 08:36:24.500')), '2022-04-11 08:36:24.500')
})

test('a day without a time begins it', () => {
  assert.equal(formatLocal(parseLocal('2022-04-11')), '2022-04-11 00:00:00')
})

test('what is no time is not a number', () => {
  for (const text of [
    'yesterday',
    '',
    '5',
    '2024',
    '2024-1-5',
    '2024-02-30',
    '2023-02-29 00:00:00',
    '2024-13-01',
    '2024-01-01 24:30:00',
    '2024-01-01 12:60:00',
    '2024-01-01 12:00:00Zulu',
  ])
    assert.ok(Number.isNaN(parseLocal(text)), text)
})

test('the first years are those of their digits', () => {
  assert.equal(formatLocal(parseLocal('0001-01-01')), '0001-01-01 00:00:00')
})

test('seconds may be left out', () => {
  assert.equal(formatLocal(parseLocal('2022-04-11 08:36')), '2022-04-11 08:36:00')
})

test('an instant with an offset is the local time in it', () => {
  assert.equal(formatLocal(parseLocal('2022-04-11T08:36:24.500+02:00')), '2022-04-11 08:36:24.500')
})
