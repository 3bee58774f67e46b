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
  assert.ok(Number.isNaN(parseLocal('yesterday')))
})

test('an instant with an offset is the local time in it', () => {
  assert.equal(formatLocal(parseLocal('2022-04-11T08:36:24.500+02:00')), '2022-04-11 08:36:24.500')
})
