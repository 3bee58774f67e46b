import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { InOrder } from './in-order.ts'

test('works are sent in the order in which they were given, whichever are prepared or fail first', async () => {
  const works = fc.array(
    fc.record({ turns: fc.nat(5), fails: fc.boolean(), isAtOnce: fc.boolean() }),
    { maxLength: 12 },
  )

  await fc.assert(
    fc.asyncProperty(works, async (given) => {
      const order = new InOrder()
      const sent: number[] = []
      const running = given.map(({ turns, fails, isAtOnce }, at) => {
        const end = (): void => {
          if (fails) throw new Error(`work ${at} fails`)
        }
        const prepare = async (): Promise<void> => {
          for (let turn = 0; turn < turns * 4; turn++) await Promise.resolve()
          end()
        }
        return order.run(isAtOnce ? end : prepare, async () => void sent.push(at))
      })
      const ended = Promise.allSettled(running)
      await order.sent()
      const atOnce = [...sent]
      await ended

      const due = given.flatMap(({ fails }, at) => (fails ? [] : [at]))
      assert.deepEqual(atOnce, due)
      assert.deepEqual(sent, due)
    }),
  )
})
