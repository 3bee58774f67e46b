import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bandsOf, nearEnds, parseIntervals, spansOf } from './thresholds.ts'

const item = (name: string, startTime: string | null) => ({
  id: 1,
  name,
  unit: 'm',
  timeDivision: startTime !== null,
  config: [
    {
      startTime,
      endTime: startTime && '2000-01-01 06:00:00',
      thresholds: [{ level: 2, value: '(1,+)' }],
    },
  ],
})

test('intervals are read, with infinite ends', () => {
  assert.deepEqual(parseIntervals('(-,-5];(5,10.5)'), [
    { low: -Infinity, high: -5 },
    { low: 5, high: 10.5 },
  ])
  assert.deepEqual(parseIntervals('(20,+)'), [{ low: 20, high: Infinity }])
  assert.deepEqual(parseIntervals('nonsense'), [])
})

test('bands are those of the station and the item', () => {
  const items = [item('A', null), item('B', '2000-01-01 22:30:00')]
  const batches = [{ batchNo: 'x', data: { items, stations: [{ id: 7, name: 'S' }] } }]

  assert.deepEqual(bandsOf(batches, 7, 'A'), [
    { level: 2, low: 1, high: Infinity, slot: undefined },
  ])
  assert.deepEqual(bandsOf(batches, 7, 'B')[0]?.slot, { start: 81_000, end: 21_600 })
  assert.deepEqual(bandsOf(batches, 8, 'A'), [])
})

test('a slot across midnight holds in the evening and in the morning', () => {
  const slot = { start: 22 * 3600, end: 6 * 3600 }

  assert.deepEqual(spansOf({ slot }, 0, 86_400), [
    { from: 0, to: 21_600 },
    { from: 79_200, to: 86_400 },
  ])
  assert.deepEqual(spansOf({ slot: undefined }, 3, 9), [{ from: 3, to: 9 }])
})

test('ends near the values are shown, far ones are not', () => {
  const band = { level: 1, low: 12, high: Infinity, slot: undefined }

  assert.deepEqual(nearEnds([band], 0, 10), [12])
  assert.deepEqual(nearEnds([band], 0, 1), [])
})
