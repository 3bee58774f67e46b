import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { eachAfter, eachAtOffset } from './each-in-pages.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, id) => ({ id }))

test('pages that continue after an item give each item once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(50), fc.integer({ min: 1, max: 9 }), async (count, limit) => {
      const items = numbers(count)
      let asked = 0
      const each = eachAfter<{ id: number }>(limit, async (last) => {
        asked++
        const start = last === undefined ? 0 : last.id + 1
        return items.slice(start, start + limit)
      })

      assert.deepEqual(await Array.fromAsync(each), items)
      assert.equal(asked, Math.floor(count / limit) + 1)
    }),
  )
})

test('of a list that changes while it is read, what stays comes once, and nothing twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(40),
      fc.integer({ min: 2, max: 7 }),
      fc.array(
        fc.record({ removed: fc.array(fc.nat(50), { maxLength: 9 }), inserted: fc.nat(50) }),
        { maxLength: 12 },
      ),
      async (count, limit, changes) => {
        let list = numbers(count)
        const removed = new Set<number>()
        let next = 1000
        const each = eachAtOffset(limit, async (offset) => {
          const page = list.slice(offset, offset + limit)
          const change = changes.shift()
          for (const at of change?.removed ?? []) {
            const [item] = list.splice(at, 1)
            if (item) removed.add(item.id)
          }
          if (change) list.splice(change.inserted, 0, { id: next++ })
          return page
        })

        const found = (await Array.fromAsync(each)).map(({ id }) => id)

        assert.equal(new Set(found).size, found.length)
        for (const { id } of numbers(count))
          assert.ok(removed.has(id) || found.includes(id), `${id}`)
      },
    ),
  )
})
