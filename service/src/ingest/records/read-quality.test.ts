import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readQuality } from './read-quality.ts'

const ITEMS = {
  itemIndex: new Map([
    ['strain', 0],
    ['temperature', 1],
    ['__proto__', 2],
  ]),
}
const VALUES = [-478.4, 4.5, undefined]
const CUT = { quality: 'bad', reason: 'cable cut', origin: 'sender' }
const DOUBTED = { quality: 'uncertain', reason: '', origin: 'sender' }

const read = (quality: unknown, values: readonly (number | undefined)[] = VALUES) =>
  readQuality(quality, ITEMS, values, () => 'sensor P1')

test('nothing said, or good, makes no marks', () => {
  for (const quality of [
    undefined,
    null,
    'good',
    'Good: checked',
    0,
    {},
    { strain: null },
    { strain: 'good', temperature: 'GoodLocalOverride' },
  ])
    assert.equal(read(quality), undefined, JSON.stringify(quality))
})

test('one quality is that of every value of the record', () => {
  assert.deepEqual(read('bad: cable cut'), [CUT, CUT, undefined])
  assert.deepEqual(read(0x4000_0000), [DOUBTED, DOUBTED, undefined])
})

test('the qualities of an object are those of its keys', () => {
  assert.deepEqual(read({ temperature: 'bad: cable cut', strain: 'good' }), [
    undefined,
    CUT,
    undefined,
  ])
  const both = JSON.parse('{"__proto__":"uncertain","strain":"BAD: cable cut"}')
  assert.deepEqual(read(both, [1, 2, 3]), [CUT, undefined, DOUBTED])
})

test('the quality of an item without a value is ignored, and is still to be one', () => {
  assert.equal(read(JSON.parse('{"__proto__":"bad"}')), undefined)
  assert.ok('rejection' in read(JSON.parse('{"__proto__":"sort of"}'))!)
})

test('what is no quality rejects the record, with what was expected', () => {
  const expected =
    'expected good, uncertain or bad, also with a reason (bad: cable cut), or a status code of OPC UA'
  for (const [quality, rejection] of [
    ['sort of', `quality is "sort of", ${expected}`],
    [4, `quality is 4, ${expected}`],
    [true, `quality is true, ${expected}`],
    [['bad'], `quality is ["bad"], ${expected}`],
    [{ strain: 'sort of' }, `quality of "strain" is "sort of", ${expected}`],
    [{ strain: { bad: 1 } }, `quality of "strain" is {"bad":1}, ${expected}`],
    [{ stress: 'bad' }, 'sensor P1 has no item "stress", which quality names'],
  ] as const)
    assert.deepEqual(read(quality), { rejection })
})
