import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { OrderedAcks, pubacks } from './ordered-acks.ts'

describe('OrderedAcks', () => {
  test('acknowledges every message once, in order of arrival, and none before it is stored', () => {
    const order = fc.integer({ min: 1, max: 40 }).chain((count) => {
      const ids = Array.from({ length: count }, (_, at) => at + 1)
      return fc.shuffledSubarray(ids, { minLength: count, maxLength: count })
    })
    fc.assert(
      fc.property(order, (storedOrder) => {
        const sent: number[] = []
        const stored = new Set<number>()
        const acks = new OrderedAcks((ids) => {
          for (const id of ids) assert.ok(stored.has(id), `${id} is not stored`)
          sent.push(...ids)
        })
        const store = storedOrder.map((_, at) => acks.expect(at + 1))

        for (const id of storedOrder) {
          stored.add(id)
          store[id - 1]?.()
        }

        assert.deepEqual(
          sent,
          storedOrder.toSorted((one, other) => one - other),
        )
        assert.equal(acks.size, 0)
      }),
    )
  })

  test('a stored message waits for those before it', () => {
    const sent: (readonly number[])[] = []
    const acks = new OrderedAcks((ids) => sent.push(ids))
    const [first, second, third] = [acks.expect(7), acks.expect(8), acks.expect(9)]

    second()
    assert.deepEqual([sent, acks.size], [[], 3])
    first()
    third()

    assert.deepEqual(sent, [[7, 8], [9]])
  })
})

test('a PUBACK is four bytes: its kind, its length and the number of the message', () => {
  assert.deepEqual([...pubacks([1, 0xfffe])], [0x40, 0x02, 0x00, 0x01, 0x40, 0x02, 0xff, 0xfe])
})
