import assert from 'node:assert/strict'
import { test } from 'node:test'
import { barOf, barsOf, isDay, lastDays, shift, stepOf } from './period.ts'

const MARCH = { from: '2024-03-01', to: '2024-03-02' }

test('the period before ends where this one begins', () => {
  assert.deepEqual(shift(MARCH, -1), { from: '2024-02-28', to: '2024-02-29' })
  assert.deepEqual(shift(MARCH, 1), { from: '2024-03-03', to: '2024-03-04' })
  assert.deepEqual(lastDays('2024-03-01', 2), { from: '2024-02-29', to: '2024-03-01' })
})

test('bars are hours, days or months, by the length of the period', () => {
  assert.deepEqual([MARCH, lastDays('2024-03-01', 30), lastDays('2024-03-01', 366)].map(stepOf), [
    'hour',
    'day',
    'month',
  ])
  assert.equal(barsOf(MARCH, 'hour').length, 48)
  assert.equal(barsOf(MARCH, 'hour')[25], '2024-03-02 01')
  assert.deepEqual(barsOf({ from: '2023-12-31', to: '2024-02-01' }, 'month'), [
    '2023-12',
    '2024-01',
    '2024-02',
  ])
  assert.equal(barOf('2024-03-02 01:00:00', 'hour'), '2024-03-02 01')
})

test('a day is one of the calendar', () => {
  assert.deepEqual(['2024-02-29', '2024-02-31x', '', undefined].map(isDay), [
    true,
    false,
    false,
    false,
  ])
})
