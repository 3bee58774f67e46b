import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ItemRules, RaiseSettings } from './alarm-settings.ts'
import { lookbackOf, valueLookbacksOf } from './rule-lookback.ts'

const HOUR = 3_600_000

const batchesOf = (rules: ItemRules, raiseAfter?: RaiseSettings) => [
  {
    items: [{ item: 'x', timeDivision: false, config: [], ...rules }],
    ...(raiseAfter === undefined ? {} : { raiseAfter }),
  },
]

const rates = [{ per: 'hour' as const, longestGap: 10, levels: [{ level: 1, limit: 1 }] }]
const frozen = { hours: 2, epsilon: 0, records: 5, level: 1 }
const spike = { deviation: 1, records: 5 } as const
const hidden = { evaluateUncertain: false }

describe('how far back rules read', () => {
  test('is the longest that one of them needs', () => {
    assert.equal(lookbackOf(batchesOf({})), 0)
    assert.equal(lookbackOf(batchesOf({ rates })), 12 * HOUR)
    assert.equal(lookbackOf(batchesOf({ rates, frozen })), 12 * HOUR)
    assert.equal(lookbackOf(batchesOf({ spike })), 1)
    assert.equal(lookbackOf(batchesOf({}, { records: 2, of: 3 })), 1)
    assert.equal(lookbackOf(batchesOf({}, { minutes: 90 })), 1.5 * HOUR)
  })

  test('is what a rate and a frozen rule need together where frozen values are hidden from it', () => {
    const bad = { ...frozen, quality: 'bad' as const }

    assert.equal(lookbackOf(batchesOf({ rates, frozen: bad })), 22 * HOUR)
    assert.equal(lookbackOf(batchesOf({ rates, frozen }), hidden), 22 * HOUR)
  })
})

describe('the values that are looked for beyond that', () => {
  const x = { place: 0 }

  test('are those that a spike and an on-delay count', () => {
    assert.deepEqual(valueLookbacksOf(batchesOf({ spike }, { records: 2, of: 7 }), ['x']), [
      { ...x, values: 7, milliseconds: 0 },
      { ...x, values: 5, milliseconds: 0 },
    ])
    assert.deepEqual(valueLookbacksOf(batchesOf({}, { minutes: 90 }), ['x']), [
      { ...x, values: 1, milliseconds: 1.5 * HOUR },
    ])
  })

  test('are more, and before all that others look back at, where a spike is hidden from these', () => {
    const bad = { ...spike, quality: 'bad' as const }
    const expected = [
      { ...x, values: 11, milliseconds: 0 },
      { ...x, values: 5, milliseconds: 12 * HOUR },
    ]
    const raiseAfter = { records: 2, of: 7 }

    assert.deepEqual(
      valueLookbacksOf(batchesOf({ rates, spike: bad }, raiseAfter), ['x']),
      expected,
    )
    assert.deepEqual(
      valueLookbacksOf(batchesOf({ rates, spike }, raiseAfter), ['x'], hidden),
      expected,
    )
  })

  test('are none of an item that the factor has no more', () => {
    assert.deepEqual(valueLookbacksOf(batchesOf({ spike }), ['y']), [])
  })
})
