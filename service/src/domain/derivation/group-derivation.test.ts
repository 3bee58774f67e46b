import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { depthOf, deriveGroup, groupItems, isBasePoint } from './group-derivation.ts'
import type { GroupConversion } from '../site/site-entry.ts'

const inclinometer: GroupConversion = {
  kind: 'inclinometer',
  depth: 'tiefe',
  fixedEnd: 'bottom',
  sums: { xTotal: 'x', yTotal: 'y' },
}
const settlement: GroupConversion = { kind: 'settlement', item: 'settling', isBase: 'isBase' }

describe('a group', () => {
  test('gives its stations the items of its conversion', () => {
    assert.deepEqual(groupItems(inclinometer), [
      { item: 'xTotal', from: 'x' },
      { item: 'yTotal', from: 'y' },
    ])
    assert.deepEqual(groupItems(settlement), [{ item: 'settling', from: 'settling' }])
  })

  test('finds depths and base point among the parameters of its stations', () => {
    assert.deepEqual(
      deriveGroup(inclinometer, [
        { name: 'A', groupParams: { tiefe: 1, depth: 9 }, value: 5 },
        { name: 'B', groupParams: { tiefe: 2, depth: 0 }, value: 3 },
      ]),
      [{ value: 8 }, { value: 3 }],
    )
    assert.deepEqual(
      deriveGroup(settlement, [
        { name: 'A', groupParams: { isBase: false }, value: 5 },
        { name: 'B', groupParams: { isBase: true }, value: 3 },
      ]),
      [{ value: 2 }, { value: 0 }],
    )
  })

  test('takes numbers as depths, and true or 1 for the base point', () => {
    assert.equal(depthOf({ d: 1.5 }, 'd'), 1.5)
    for (const d of ['1.5', true]) assert.equal(depthOf({ d }, 'd'), undefined)
    assert.equal(depthOf({}, 'constructor'), undefined)
    assert.ok(isBasePoint({ b: true }, 'b') && isBasePoint({ b: 1 }, 'b'))
    for (const b of [false, 0, 'true', 'no']) assert.ok(!isBasePoint({ b }, 'b'))
    assert.ok(!isBasePoint({}, 'toString'))
  })
})
