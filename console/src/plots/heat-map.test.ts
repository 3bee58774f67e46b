import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scaleOf, toGrid, transpose } from './heat-map.ts'

test('a grid has the first values of each list, and nothing where a list is shorter', () => {
  assert.deepEqual(toGrid([[1, 2, 3], [4]], 2), {
    columns: 2,
    rows: 2,
    values: Float32Array.of(1, 2, 4, NaN),
  })
})

test('columns become rows, and rows columns', () => {
  const grid = toGrid(
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
    3,
  )

  assert.deepEqual(
    transpose(grid),
    toGrid(
      [
        [1, 4],
        [2, 5],
        [3, 6],
      ],
      2,
    ),
  )
  assert.deepEqual(transpose(transpose(grid)), grid)
})

test('a scale has all values, of decibels the highest eighty', () => {
  const grid = toGrid(
    [
      [-120, NaN],
      [-10, -50],
    ],
    2,
  )

  assert.deepEqual(scaleOf(grid, false), { low: -120, high: -10 })
  assert.deepEqual(scaleOf(grid, true), { low: -90, high: -10 })
  assert.deepEqual(scaleOf(toGrid([[3, 3]], 2), false), { low: 2, high: 3 })
})
