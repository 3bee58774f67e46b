import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../../test/_random.ts'
import { RefusedError } from '../../../errors/refused-error.ts'
import { BodyBudget } from './body-budget.ts'

const KILOBYTE = 1024
const FREE = 64 * KILOBYTE

describe('the budget of bodies', () => {
  test('a body that does not fit waits until others are released', async () => {
    const budget = new BodyBudget({ bytes: 1_000 })
    const first = budget.open()
    await first.growTo(FREE + 800)
    const second = budget.open()
    let isThere = false
    const growing = second.growTo(FREE + 300).then(() => (isThere = true))
    await Promise.resolve()

    assert.equal(isThere, false)
    assert.equal(budget.used, 800)
    first.release()
    await growing

    assert.equal(budget.used, 300)
    second.release()
    second.release()
    assert.equal(budget.used, 0)
  })

  test('a body that waits too long is refused with a time to try again', async () => {
    const budget = new BodyBudget({ bytes: 1_000, waitMilliseconds: 5 })
    await budget.open().growTo(FREE + 800)
    const late = budget.open()

    await assert.rejects(late.growTo(FREE + 300), (error) => {
      assert.ok(error instanceof RefusedError)
      assert.deepEqual([error.reason, error.retryAfterSeconds], ['unavailable', 2])
      assert.match(error.message, /http\.bodyBudgetMegabytes/)
      return true
    })
    late.release()
    assert.equal(budget.used, 800)
  })

  test('after a refused body the next ones are granted', async () => {
    const budget = new BodyBudget({ bytes: 1_000, waitMilliseconds: 20 })
    await budget.open().growTo(FREE + 800)
    const large = budget.open().growTo(FREE + 900)
    const small = budget.open()
    const growing = small.growTo(FREE + 200)

    await assert.rejects(large)
    await growing

    assert.equal(budget.used, 1_000)
  })

  test('small bodies never wait', async () => {
    const budget = new BodyBudget({ bytes: 10 })
    await budget.open().growTo(FREE + 10)

    await Promise.all(Array.from({ length: 100 }, () => budget.open().growTo(FREE)))
  })

  test('a body that is released while it waits takes nothing', async () => {
    const budget = new BodyBudget({ bytes: 1_000 })
    const first = budget.open()
    await first.growTo(FREE + 1_000)
    const gone = budget.open()
    const growing = gone.growTo(FREE + 500)
    gone.release()
    first.release()
    await growing

    assert.equal(budget.used, 0)
  })

  test('in any order of growing and releasing it is never exceeded and returns to zero', async () => {
    const step = fc.record({
      body: fc.nat({ max: 7 }),
      growsBy: fc.nat({ max: 400 }),
      ends: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const budget = new BodyBudget({ bytes: 1_000, waitMilliseconds: 0 })
        const bodies = Array.from({ length: 8 }, () => ({ lease: budget.open(), size: FREE }))
        const growing: Promise<void>[] = []
        for (const { body, growsBy, ends } of steps) {
          const grown = bodies[body]
          assert.ok(grown !== undefined)
          grown.size += growsBy
          growing.push(grown.lease.growTo(grown.size).catch(() => undefined))
          assert.ok(budget.used <= 1_000)
          if (!ends) continue
          grown.lease.release()
          bodies[body] = { lease: budget.open(), size: FREE }
        }
        await Promise.all(growing)
        assert.ok(budget.used <= 1_000)
        for (const { lease } of bodies) lease.release()

        assert.equal(budget.used, 0)
      }),
      { numRuns: runs(100) },
    )
  })
})
