import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withGaps } from './chart-data.ts'
import { shortRuns } from './short-runs.ts'

const pointsAt = (times: number[], values: (number | null)[]) => ({
  times,
  low: values,
  mean: values,
  high: values,
})

test('a minute of records and a lone record in years are runs of their lowest and highest value', () => {
  const minute = Array.from({ length: 61 }, (_, second) => 1_000_000 + second)
  const values = [...minute.map((_, at) => at % 7), 251.2]
  const points = withGaps(pointsAt([...minute, 90_000_000], values))

  const runs = shortRuns(points, (time) => time / 100_000, 3)

  assert.deepEqual(runs, [
    { time: 1_000_030, low: 0, high: 6 },
    { time: 90_000_000, low: 251.2, high: 251.2 },
  ])
})

test('runs that are wide enough for a line are none', () => {
  const points = withGaps(pointsAt([0, 10, 20, 900], [1, 2, 3, 4]))

  assert.deepEqual(
    shortRuns(points, (time) => time, 3),
    [{ time: 900, low: 4, high: 4 }],
  )
})

test('a line without values has no runs', () => {
  assert.deepEqual(
    shortRuns(pointsAt([1, 2], [null, null]), (time) => time, 3),
    [],
  )
})
