import assert from 'node:assert/strict'
import { test } from 'node:test'
import { busiestHour, className, toBars, toLanes, type Grouping } from './counts.ts'

const COUNTS = {
  loadUnit: 't',
  classes: [
    { from: 0, below: 3.5 },
    { from: 3.5, below: 40 },
    { from: 40, below: null },
  ],
  total: 9,
  overloads: 2,
  counts: [
    { hour: '2024-03-01 08:00:00', lane: '10', class: 0, count: 3, overloads: 0 },
    { hour: '2024-03-01 08:00:00', lane: '2', class: 2, count: 2, overloads: 2 },
    { hour: '2024-03-01 23:00:00', lane: '2', class: 1, count: 4, overloads: 0 },
  ],
}
const SHOWN = {
  period: { from: '2024-03-01', to: '2024-03-01' },
  step: 'hour',
} as const

test('classes are named by their limits', () => {
  assert.deepEqual(
    [0, 1, 2].map((at) => className(COUNTS, at)),
    ['< 3.5 t', '3.5–40 t', '≥ 40 t'],
  )
})

const bars = (grouping: Grouping) =>
  toBars(COUNTS, { ...SHOWN, overload: ['others', 'overloaded'], grouping })

test('bars have a part for each class, lane or overload, and all hours of the period', () => {
  assert.equal(bars('class').bars.length, 24)
  assert.deepEqual(bars('class').bars[8], { name: '2024-03-01 08', parts: [3, 0, 2] })
  assert.deepEqual(bars('lane').groups, ['2', '10'])
  assert.deepEqual(bars('lane').bars[8]?.parts, [2, 3])
  assert.deepEqual(bars('overload').bars[8]?.parts, [3, 2])
  assert.deepEqual(bars('overload').bars[23]?.parts, [4, 0])
})

test('lanes have their vehicles by class', () => {
  assert.deepEqual(toLanes(COUNTS), [
    { lane: '2', classes: [0, 4, 2], total: 6, overloads: 2 },
    { lane: '10', classes: [3, 0, 0], total: 3, overloads: 0 },
  ])
})

test('the busiest hour has the most vehicles of all lanes', () => {
  assert.deepEqual(busiestHour(COUNTS), { hour: '2024-03-01 08:00:00', count: 5 })
  assert.equal(busiestHour({ ...COUNTS, counts: [] }), undefined)
})
