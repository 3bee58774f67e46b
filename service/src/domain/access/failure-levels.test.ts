import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { FailureLevels } from './failure-levels.ts'

const SETTINGS = { limitPerMinute: 3, seed: Buffer.alloc(16, 7) }
const NOON = Date.UTC(2026, 0, 1, 12)

/** One exact level for each key. */
class SlowModel {
  readonly #levels = new Map<string, { level: number; at: number }>()

  level(key: string, now: number): number {
    const { level, at } = this.#levels.get(key) ?? { level: 0, at: now }
    return Math.max(0, level - ((now - at) * 3) / 60_000)
  }

  fail(key: string, now: number): void {
    this.#levels.set(key, { level: Math.min(this.level(key, now) + 1, 30), at: now })
  }
}

const step = (keys: readonly string[]) =>
  fc.record({ wait: fc.integer({ min: 0, max: 40_000 }), key: fc.constantFrom(...keys) })

/** Whether each key is closed after each step, by the levels and by the model. */
const compare = (
  levels: FailureLevels,
  keys: readonly string[],
  steps: readonly { wait: number; key: string }[],
  check: (isClosed: boolean, shouldBe: boolean) => void,
) => {
  const model = new SlowModel()
  let now = NOON
  for (const { wait, key } of steps) {
    now += wait
    levels.fail(key, now)
    model.fail(key, now)
    for (const one of keys) {
      const level = model.level(one, now)
      // At the limit to the last bit, the order of additions decides.
      if (Math.abs(level - 2) > 1e-6) check(levels.retryAfterSeconds(one, now) > 0, level > 2)
    }
  }
}

describe('failure levels', () => {
  test('lets a key try until its failures reach the limit', () => {
    const levels = new FailureLevels(SETTINGS)

    levels.fail('a', NOON)
    levels.fail('a', NOON)
    assert.equal(levels.retryAfterSeconds('a', NOON), 0)
    levels.fail('a', NOON)

    assert.equal(levels.retryAfterSeconds('a', NOON), 20)
    assert.equal(levels.retryAfterSeconds('a', NOON + 19_000), 1)
    assert.equal(levels.retryAfterSeconds('a', NOON + 20_000), 0)
    assert.equal(levels.retryAfterSeconds('b', NOON), 0)
  })

  test('makes who goes on wait longer, up to ten minutes', () => {
    const levels = new FailureLevels(SETTINGS)
    const waits = Array.from({ length: 100 }, () => {
      levels.fail('a', NOON)
      return levels.retryAfterSeconds('a', NOON)
    })

    assert.deepEqual(waits.slice(0, 5), [0, 0, 20, 40, 60])
    assert.equal(Math.max(...waits), 560)
  })

  test('keeps a key closed for as long as it was when the clock is set back', () => {
    const levels = new FailureLevels(SETTINGS)
    for (let n = 0; n < 3; n++) levels.fail('a', NOON)

    const before = NOON - 86_400_000
    assert.equal(levels.retryAfterSeconds('a', before), 20)
    assert.equal(levels.retryAfterSeconds('a', before + 20_000), 0)
  })

  test('forgets no closed key for 100,000 others that failed after it', () => {
    const levels = new FailureLevels(SETTINGS)
    for (let n = 0; n < 3; n++) levels.fail('guilty', NOON)

    for (let other = 0; other < 100_000; other++) levels.fail(`other ${other}`, NOON)

    assert.ok(levels.retryAfterSeconds('guilty', NOON) >= 20)
  })

  test('counts as one exact level for each key would', () => {
    const keys = ['a', 'b', 'c']
    const property = fc.property(fc.array(step(keys), { maxLength: 40 }), (steps) =>
      compare(new FailureLevels(SETTINGS), keys, steps, (isClosed, shouldBe) =>
        assert.equal(isClosed, shouldBe),
      ),
    )
    fc.assert(property)
  })

  test('closes every key that the exact levels close, however few places there are', () => {
    const keys = Array.from({ length: 20 }, (_, at) => `key ${at}`)
    const property = fc.property(fc.array(step(keys), { maxLength: 80 }), (steps) =>
      compare(new FailureLevels({ ...SETTINGS, width: 4 }), keys, steps, (isClosed, shouldBe) =>
        assert.ok(isClosed || !shouldBe),
      ),
    )
    fc.assert(property)
  })
})
