import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StructureState } from '@plumbline/client'
import { countStates, filterStations } from './filter.ts'

const station = (
  id: number,
  name: string,
  state: 'fine' | 'stale',
  worstLevel: number | null = null,
) => ({
  id,
  name,
  state,
  worstLevel,
  time: null,
  ageSeconds: null,
  expectedSeconds: null,
  values: {},
  position: null,
})

const state: StructureState = {
  time: 0,
  id: 1,
  name: 'Bridge',
  timeZone: 'UTC',
  portrait: null,
  worstLevel: null,
  factors: [
    {
      id: 1,
      name: 'Strain',
      items: [],
      groups: [
        {
          id: 1,
          name: 'Span 1',
          typeId: '0',
          stations: [station(1, 'A', 'fine'), station(2, 'B', 'stale')],
        },
      ],
    },
    {
      id: 2,
      name: 'Force',
      items: [],
      groups: [{ id: 2, name: 'Force', typeId: '0', stations: [station(3, 'C', 'fine', 2)] }],
    },
  ],
}

const idsOf = (wanted: string, needsAttention = false) =>
  filterStations(state, { wanted, needsAttention }).map(({ id }) => id)

test('stations are found by name, group and factor', () => {
  assert.deepEqual(idsOf(''), [1, 2, 3])
  assert.deepEqual(idsOf('span'), [1, 2])
  assert.deepEqual(idsOf(' FORCE'), [3])
  assert.deepEqual(idsOf('nowhere'), [])
})

test('what is late or has an alarm needs attention', () => {
  assert.deepEqual(idsOf('', true), [2, 3])
})

test('states are counted, those without a station left out', () => {
  assert.deepEqual(countStates(state), [
    { state: 'fine', count: 2 },
    { state: 'stale', count: 1 },
  ])
})

test('the group that a factor has by itself is not named', () => {
  const rows = filterStations(state, { wanted: '', needsAttention: false })

  assert.deepEqual(
    rows.map(({ group }) => group),
    ['Span 1', 'Span 1', ''],
  )
})
