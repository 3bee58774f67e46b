import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { KeyedQueue } from './keyed-queue.ts'

test('works that share a key run in order, also after one that fails, and others do not wait', async () => {
  const queue = new KeyedQueue<string>()
  const done: string[] = []
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()

  const first = queue.run(new Set(['a', 'b']), async () => {
    await gate
    done.push('first')
    throw new Error('the disk is full')
  })
  const second = queue.run(new Set(['b', 'c']), async () => done.push('second'))
  const third = queue.run(new Set(['c']), async () => done.push('third'))
  await queue.run(new Set(['d']), async () => done.push('of another key'))
  await queue.run(new Set(), async () => done.push('of no key'))
  const busy = ['a', 'b', 'c', 'd'].filter((key) => queue.isBusy([key]))
  open()

  await assert.rejects(first, /the disk is full/)
  assert.deepEqual(await Promise.all([second, third]), [4, 5])
  assert.deepEqual(done, ['of another key', 'of no key', 'first', 'second', 'third'])
  assert.deepEqual(busy, ['a', 'b', 'c'])
  assert.equal(queue.isBusy(['a', 'b', 'c', 'd']), false)
})

test('random works of a key never overlap and keep their order, and each ends', async () => {
  const work = fc.record({
    keys: fc.uniqueArray(fc.nat(4), { maxLength: 3 }),
    turns: fc.nat(3),
    fails: fc.boolean(),
    pause: fc.nat(2),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(work, { maxLength: 20 }), async (works) => {
      const queue = new KeyedQueue<number>()
      const running = new Set<number>()
      const begun = new Map<number, number[]>()
      const ends: Promise<unknown>[] = []

      for (const [at, { keys, turns, fails, pause }] of works.entries()) {
        const end = queue.run(new Set(keys), async () => {
          for (const key of keys) {
            assert.ok(!running.has(key), `two works of key ${key}`)
            running.add(key)
            begun.getOrInsertComputed(key, () => []).push(at)
          }
          for (let turn = 0; turn < turns; turn++) await setImmediate()
          for (const key of keys) running.delete(key)
          if (fails) throw new Error('as it should')
          return at
        })
        ends.push(end)
        end.catch(() => {})
        for (let turn = 0; turn < pause; turn++) await setImmediate()
      }
      const outcomes = await Promise.allSettled(ends)

      for (const [at, { fails }] of works.entries()) {
        const outcome = outcomes[at]!
        if (outcome.status === 'rejected')
          assert.equal(String(outcome.reason), 'Error: as it should')
        assert.equal(outcome.status, fails ? 'rejected' : 'fulfilled')
      }
      for (const [key, order] of begun) {
        const added = works.flatMap(({ keys }, at) => (keys.includes(key) ? [at] : []))
        assert.deepEqual(order, added)
      }
      assert.equal(queue.isBusy([0, 1, 2, 3, 4]), false)
    }),
  )
})
