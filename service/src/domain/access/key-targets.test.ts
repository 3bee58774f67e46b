import assert from 'node:assert/strict'
import { test } from 'node:test'
import { coversTarget, describeTargets } from './key-targets.ts'

const TARGETS = { structures: [1], stations: [2001], sensors: ['a-sensor'] }
const NONE = { structures: [], stations: [], sensors: [] }

test('a key without targets may write to everything, one with empty targets to nothing', () => {
  for (const target of [{ structure: 1 }, { structure: 1, station: 5 }]) {
    assert.equal(coversTarget(undefined, target), true)
    assert.equal(coversTarget(NONE, target), false)
  }
})

test('a key may write to what belongs to its structures, and to its own stations and devices', () => {
  const covered = [
    { structure: 1 },
    { structure: 1, station: 1001 },
    { structure: 1, device: 'another' },
    { structure: 2, station: 2001 },
    { structure: 2, device: 'a-sensor' },
  ].map((target) => coversTarget(TARGETS, target))
  const foreign = [
    { structure: 2 },
    { structure: 2, station: 2002 },
    { structure: 2, device: 'another' },
    { structure: 2001 },
    { structure: 2, station: 1 },
  ].map((target) => coversTarget(TARGETS, target))

  assert.deepEqual(covered, Array(5).fill(true))
  assert.deepEqual(foreign, Array(5).fill(false))
})

test('targets are described by their kinds', () => {
  assert.equal(describeTargets(undefined), 'everything')
  assert.equal(describeTargets(TARGETS), 'structures 1; stations 2001; sensors a-sensor')
  assert.equal(describeTargets({ ...NONE, stations: [1, 2] }), 'stations 1, 2')
})
