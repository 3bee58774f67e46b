import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../../test/_random.ts'
import { RefusedError } from '../../../errors/refused-error.ts'
import { BodyBudget } from './body-budget.ts'

const KILOBYTE = 1024
const FREE = 64 * KILOBYTE

describe('the budget of bodies', () => {
  test('a body beyond it waits, and has its room when others are gone', async () => {
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

  test('one that waits too long is refused with when to try again', async () => {
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

  test('those behind one that gives up have the room that it leaves', async () => {
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

  test('a body that has gone while it waited leaves nothing behind', async () => {
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

  test('whatever grows and goes, it is never exceeded and comes back to zero', async () => {
    const step = fc.record({
      body: fc.nat({ max: 7 }),
      growsBy: fc.nat({ max: 400 }),
      ends: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const budget = new BodyBudget({ bytes: 1_000, waitMilliseconds: 0 })
        const leases = Array.from({ length: 8 }, () => budget.open())
        const sizes = leases.map(() => FREE)
        const growing: Promise<void>[] = []
        for (const { body, growsBy, ends } of steps) {
          sizes[body]! += growsBy
          growing.push(leases[body]!.growTo(sizes[body]!).catch(() => undefined))
          assert.ok(budget.used <= 1_000)
          if (!ends) continue
          leases[body]!.release()
          leases[body] = budget.open()
          sizes[body] = FREE
        }
        await Promise.all(growing)
        assert.ok(budget.used <= 1_000)
        for (const lease of leases) lease.release()

        assert.equal(budget.used, 0)
      }),
      { numRuns: runs(100) },
    )
  })
})
