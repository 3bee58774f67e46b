import assert from 'node:assert/strict'
import test from 'node:test'
import { inTurn } from './serial-queue.ts'

test('work of one owner is done in its order, also after one that fails', async () => {
  const owner = {}
  const done: string[] = []
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()

  const first = inTurn(owner, async () => {
    await gate
    done.push('first')
    throw new Error('the disk is full')
  })
  const second = inTurn(owner, async () => done.push('second'))
  const other = inTurn({}, async () => done.push('of another owner'))
  await other
  open()

  await assert.rejects(first, /the disk is full/)
  assert.equal(await second, 3)
  assert.deepEqual(done, ['of another owner', 'first', 'second'])
})
