import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Line } from './lines.ts'
import {
  countValues,
  inOrder,
  marksOf,
  pointsOfRecords,
  pointsOfSeries,
  withGaps,
} from './chart-data.ts'

const line = { id: '1.w', stationId: 1, key: 'w' } as Line
const item = { name: 'W', unit: 'm', minimum: [1, 2], mean: [2, 3], maximum: [3, 4], count: [5, 6] }
const times = ['1970-01-01 00:00:10', '1970-01-01 00:00:10']
const series = { points: 2, stations: [{ id: 1, name: 'S', width: 1, times, items: { w: item } }] }

test('summaries become points, and the hour that comes twice does not go back', () => {
  assert.deepEqual(pointsOfSeries(series, line)?.times, [10, 10.001])
  assert.equal(pointsOfSeries(series, { ...line, key: 'x' }), undefined)
  assert.equal(countValues(series), 11)
})

test('both passes of an hour that comes twice share its width', () => {
  assert.deepEqual(
    inOrder([0, 3600, 5400, 7200, 3600, 5400, 7200, 9000]),
    [0, 3600, 4500, 5400, 5400.001, 6300, 7200, 9000],
  )
  assert.deepEqual(inOrder([]), [])
  assert.deepEqual(inOrder([1, 1, 2]), [1, 1.001, 2])
})

test('any times become times one after the other, as many', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20_000 })), (times) => {
      const ordered = inOrder(times)

      assert.equal(ordered.length, times.length)
      for (const [at, time] of ordered.entries())
        if (at > 0) assert.ok(time > ordered[at - 1]!, `${times} -> ${ordered}`)
    }),
  )
})

test('records become points, with marks where a value is not simply good', () => {
  const bad = { quality: 'bad', reason: 'cable cut', origin: 'person', value: 9 } as const
  const records = {
    records: [
      { time: '1970-01-01T00:00:01.000+01:00', values: { w: 1 } },
      { time: '1970-01-01T00:00:02.000+01:00', values: {}, quality: { w: bad } },
    ],
  }

  assert.deepEqual(pointsOfRecords(records, line).mean, [1])
  assert.deepEqual(marksOf(records, line), [
    { time: 2, value: 9, quality: 'bad', reason: 'cable cut', lineId: '1.w' },
  ])
})

test('a pause breaks the line', () => {
  const values = [1, 2, 3, 4]
  const points = { times: [0, 1, 2, 100], low: values, mean: values, high: values }

  assert.deepEqual(withGaps(points).mean, [1, 2, 3, null, 4])
  assert.deepEqual(withGaps(points).times, [0, 1, 2, 51, 100])
})
