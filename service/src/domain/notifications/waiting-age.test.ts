import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { WaitingAge } from './waiting-age.ts'

const OPTIONS = { lastBefore: 7, now: 1000, term: 10_000, least: 600 }

test('what was there before is old after the least time, and what came later after the term', () => {
  const age = new WaitingAge(OPTIONS)
  age.see(9, 2000)

  assert.deepEqual(
    [1599, 1600, 11_999, 12_000].map((now) => age.oldUpTo(now)),
    [0, 7, 7, 9],
  )
})

test('what was there before waits no longer than the term', () => {
  const age = new WaitingAge({ ...OPTIONS, least: 20_000 })

  assert.deepEqual(
    [10_999, 11_000].map((now) => age.oldUpTo(now)),
    [0, 7],
  )
})

test('nothing that came within the term is old, and all that came much before is', () => {
  const steps = fc.array(fc.record({ pause: fc.integer({ min: 0, max: 3000 }), made: fc.nat(3) }))
  fc.assert(
    fc.property(steps, (list) => {
      const age = new WaitingAge({ ...OPTIONS, now: 0 })
      const made: number[] = []
      let now = 0
      for (const { pause, made: count } of list) {
        now += pause
        for (let one = 0; one < count; one++) made.push(now)
        if (age.isDue(now)) age.see(7 + made.length, now)
        const old = age.oldUpTo(now) - 7
        assert.ok(made.slice(0, Math.max(0, old)).every((at) => now - at >= OPTIONS.term))
        const surely = made.filter((at) => now - at >= OPTIONS.term + 3100).length
        assert.ok(surely === 0 || old >= surely)
      }
    }),
  )
})
