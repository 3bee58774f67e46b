import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StructureOverview } from '@plumbline/client'
import { byCondition, conditionOf, conditionsOf } from './condition.ts'

const NONE = { fine: 0, stale: 0, offline: 0, empty: 0 }
const structure = (name: string, parts: object) =>
  ({ name, worstLevel: null, stations: NONE, ...parts }) as StructureOverview

test('an open alarm says more than a station that is offline', () => {
  const both = structure('A', { worstLevel: 2, stations: { ...NONE, offline: 1 } })

  assert.deepEqual(conditionOf(both), { kind: 'alarm', level: 2 })
})

test('one stale station makes a structure stale', () => {
  const one = structure('A', { stations: { ...NONE, fine: 40, stale: 1 } })

  assert.deepEqual(conditionOf(one), { kind: 'stale' })
})

test('a structure without records is empty, not fine', () => {
  assert.deepEqual(conditionOf(structure('A', { stations: { ...NONE, empty: 3 } })), {
    kind: 'empty',
  })
})

test('the worst comes first, then by name', () => {
  const list = [
    structure('fine', { stations: { ...NONE, fine: 1 } }),
    structure('level 3', { worstLevel: 3 }),
    structure('offline', { stations: { ...NONE, offline: 1 } }),
    structure('b level 1', { worstLevel: 1 }),
    structure('a level 1', { worstLevel: 1 }),
  ]

  assert.deepEqual(
    list.toSorted(byCondition).map(({ name }) => name),
    ['a level 1', 'b level 1', 'level 3', 'offline', 'fine'],
  )
})

test('a structure is found by each of its troubles, and by another condition without any', () => {
  const both = { worstLevel: 2, stations: { ...NONE, fine: 5, stale: 1 } }

  assert.deepEqual(conditionsOf(both), ['alarm', 'stale'])
  assert.deepEqual(conditionsOf({ worstLevel: null, stations: { ...NONE, fine: 5 } }), ['fine'])
  assert.deepEqual(conditionsOf({ worstLevel: null, stations: NONE }), ['empty'])
})
