import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StationPlace } from '../../state/station-place.ts'
import { decimalsOf, linesOf, mergeItems } from './lines.ts'

const place = (id: number, name: string) =>
  ({ id, name, factor: { items: [{ name: 'Strain', precision: 0.1 }] } }) as unknown as StationPlace

const places = [place(1, 'A'), place(2, 'B'), place(3, 'C')]
const item = (name: string, unit: string) => ({ key: name.toLowerCase(), name, unit })
const items = [
  { stationId: 1, items: [item('Strain', 'µm/m')] },
  { stationId: 2, items: [item('Force', 'kN'), item('Level', 'm')] },
  { stationId: 3, items: [item('Strain', 'µm/m')] },
]

test('items that are new join those of their station, and others change nothing', () => {
  const [strain, force] = [item('Strain', 'µm/m'), item('Force', 'kN')]
  const seen = [{ stationId: 1, items: [strain] }]

  assert.equal(mergeItems(seen, [{ stationId: 1, items: [strain] }]), seen)
  assert.deepEqual(mergeItems(seen, [{ stationId: 1, items: [force, strain] }]), [
    { stationId: 1, items: [strain, force] },
  ])
  assert.deepEqual(mergeItems(seen, [{ stationId: 2, items: [force] }]), [
    ...seen,
    { stationId: 2, items: [force] },
  ])
})

test('the first two units have an axis each, a third is hidden', () => {
  assert.deepEqual(
    linesOf(places, items, undefined).map(({ id, axis, isShown }) => [id, axis, isShown]),
    [
      ['1.strain', 0, true],
      ['2.force', 1, true],
      ['2.level', 0, false],
      ['3.strain', 0, true],
    ],
  )
})

test('a choice shows what it names', () => {
  assert.deepEqual(
    linesOf(places, items, ['2.level', '3.strain'])
      .filter(({ isShown }) => isShown)
      .map(({ id, axis, colour }) => [id, axis, colour]),
    [
      ['2.level', 0, 2],
      ['3.strain', 1, 3],
    ],
  )
})

test('a line is named by its station, and by its item where there are several', () => {
  assert.deepEqual(
    linesOf(places, items, undefined).map(({ name }) => name),
    ['A', 'B: Force', 'B: Level', 'C'],
  )
  assert.deepEqual(
    linesOf([place(2, 'B')], items, undefined).map(({ name }) => name),
    ['Force', 'Level'],
  )
})

test('decimals follow the precision', () => {
  assert.deepEqual(
    [1, 0.1, 0.001, 0.0005, 10, 0].map((precision) => decimalsOf({ precision })),
    [0, 1, 3, 4, 0, 3],
  )
})
