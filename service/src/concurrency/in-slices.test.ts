import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countTurns } from '../../test/_event-loop-turns.ts'
import { inSlices, mapInSlices } from './in-slices.ts'

const items = Array.from({ length: 5_000 }, (_, at) => at)

test('items are visited in order, each once', async () => {
  assert.deepEqual(await mapInSlices(items, (item, index) => [item, index]), [...items.entries()])
})

test('other work runs after every thousand items that take no time', async () => {
  const turns = await countTurns(() => inSlices(items, () => {}, { now: () => 0 }))

  assert.equal(turns, 4)
})

test('other work runs after some milliseconds, however few items were visited', async () => {
  let time = 0
  const visit = (): void => void (time += 3)

  const turns = await countTurns(() => inSlices(items.slice(0, 100), visit, { now: () => time }))

  assert.equal(turns, 49)
})
