import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Group, Series } from '@plumbline/client'
import { curvesOf, meansOf, profilePlaces, spread } from './profile.ts'

const station = (id: number, depth?: number) => ({
  id,
  name: `S${id}`,
  portrait: '',
  labels: [],
  groupParams: depth === undefined ? {} : { depth },
})

const item = (mean: (number | null)[]) => ({
  w: { name: 'W', unit: '', minimum: mean, mean, maximum: mean, count: [1, 1] },
})

const group: Group = {
  id: 1,
  name: 'Hole',
  typeId: '0',
  params: { depth: { name: 'Depth', unit: 'cm' } },
  stations: [station(2, 80), station(1, 20), station(3)],
}

test('stations with a number are places, from the top down', () => {
  assert.deepEqual(profilePlaces(group), {
    param: 'Depth',
    unit: 'cm',
    isDepth: true,
    points: [
      { stationId: 1, name: 'S1', position: 20 },
      { stationId: 2, name: 'S2', position: 80 },
    ],
  })
})

test('a group whose stations are all at one place has no profile', () => {
  assert.equal(profilePlaces({ ...group, stations: [station(1, 20), station(2, 20)] }), undefined)
})

test('a curve takes of each station the last value until its time', () => {
  const times = ['1970-01-01 00:00:00', '1970-01-01 00:00:10']
  const series: Series = {
    points: 2,
    stations: [
      { id: 1, name: 'S1', width: 10, times, items: item([1, 2]) },
      { id: 2, name: 'S2', width: 10, times, items: item([5, null]) },
    ],
  }

  const curves = curvesOf(series, 'w', profilePlaces(group)!, [0, 10])

  assert.deepEqual(
    curves.map(({ values }) => values.map(({ value }) => value)),
    [
      [1, 5],
      [2, 5],
    ],
  )
})

test('times are spread evenly', () => {
  assert.deepEqual(spread(0, 10, 3), [0, 5, 10])
})

test('stations at one place have one point of the line', () => {
  const values = [
    { position: 20, value: 1 },
    { position: 20, value: 3 },
    { position: 80, value: 5 },
  ]

  assert.deepEqual(meansOf({ time: 0, values }), [
    { position: 20, value: 2 },
    { position: 80, value: 5 },
  ])
})
