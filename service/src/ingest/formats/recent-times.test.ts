import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RecentTimes } from './recent-times.ts'

test('a time is recognised while it is among the latest different ones', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(8), { maxLength: 60 }),
      fc.integer({ min: 1, max: 5 }),
      (times, most) => {
        const recent = new RecentTimes(most)
        const model: number[] = []
        for (const time of times) {
          assert.equal(recent.hasSeen(time), model.includes(time))
          if (model.includes(time)) continue
          model.push(time)
          if (model.length > most) model.shift()
        }
      },
    ),
  )
})
