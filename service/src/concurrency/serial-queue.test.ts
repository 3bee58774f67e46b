import assert from 'node:assert/strict'
import test from 'node:test'
import { SerialQueue } from './serial-queue.ts'

test('work runs in order, also after one that fails, and other queues do not wait', async () => {
  const [queue, other] = [new SerialQueue(), new SerialQueue()]
  const done: string[] = []
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()

  const first = queue.run(async () => {
    await gate
    done.push('first')
    throw new Error('the disk is full')
  })
  const second = queue.run(async () => done.push('second'))
  await other.run(async () => done.push('of the other queue'))
  const waiting = [queue.length, other.length]
  open()

  await assert.rejects(first, /the disk is full/)
  assert.equal(await second, 3)
  assert.deepEqual(done, ['of the other queue', 'first', 'second'])
  assert.deepEqual([...waiting, queue.length], [2, 0, 0])
})
