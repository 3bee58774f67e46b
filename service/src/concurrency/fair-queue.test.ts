import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../test/_random.ts'
import { FairQueue } from './fair-queue.ts'
import { RefusedError } from '../errors/refused-error.ts'

const newQueue = (waitingMaximum = 32) =>
  new FairQueue<string>({ name: 'analyses', waitingMaximum })

const tick = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Work that ends when the test says so, or with its signal. */
function held() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let signal: AbortSignal | undefined
  const work = (given: AbortSignal) => {
    signal = given
    given.addEventListener('abort', () => reject(given.reason as Error))
    return promise
  }
  return { work, end: resolve, fail: reject, signal: () => signal }
}

const never = () => Promise.reject(new Error('this was begun'))

describe('a fair queue', () => {
  test('runs the next work after one that fails', async () => {
    const queue = newQueue()
    const first = queue.run({ user: 'a', key: '1' }, () => Promise.reject(new Error('no memory')))
    const second = queue.run({ user: 'a', key: '2' }, async () => 2)

    await assert.rejects(first, /^Error: no memory$/)
    assert.equal(await second, 2)
  })

  test('aborts shared work when its last request is aborted, and continues', async () => {
    const queue = newQueue()
    const [one, other] = [new AbortController(), new AbortController()]
    const { work, signal } = held()
    const first = queue.run({ user: 'a', key: '1', signal: one.signal }, work)
    const second = queue.run({ user: 'b', key: '1', signal: other.signal }, never)
    const behind = queue.run({ user: 'c', key: '2' }, async () => 'next')

    one.abort(new Error('the first has gone'))
    await assert.rejects(first, /^Error: the first has gone$/)
    assert.equal(signal()?.aborted, false)
    other.abort(new Error('the second has gone'))
    const again = queue.run({ user: 'a', key: '1' }, async () => 'computed again')

    await assert.rejects(second, /^Error: the second has gone$/)
    assert.equal(signal()?.aborted, true)
    assert.equal(await behind, 'next')
    assert.equal(await again, 'computed again')
  })

  test('runs shared work in the turn of its first user', async () => {
    const queue = newQueue()
    const { work, end } = held()
    const done: string[] = []
    const ask = (user: string, key: string) =>
      queue.run({ user, key }, async () => void done.push(key))
    const all = [queue.run({ user: 'a', key: '0' }, work)]
    const rest = [ask('a', '1'), ask('a', '2'), ask('a', '3'), ask('b', '3')]

    end('done')
    await Promise.all([...all, ...rest])

    assert.deepEqual(done, ['3', '1', '2'])
  })

  test('refuses requests of one user beyond the limit, but not those of others or shared ones', async () => {
    const queue = newQueue(2)
    const { work, end } = held()
    const ask = (user: string, key: string) => queue.run({ user, key }, async () => key)
    const first = queue.run({ user: 'a', key: '0' }, work)
    const asked = [ask('a', '1'), ask('a', '2')]

    await assert.rejects(ask('a', '3'), (error) => {
      assert.ok(error instanceof RefusedError)
      assert.deepEqual([error.reason, error.retryAfterSeconds], ['unavailable', 5])
      return true
    })
    asked.push(ask('a', '0'), ask('a', '2'), ask('b', '3'))
    end('0')

    assert.equal(await first, '0')
    assert.deepEqual(await Promise.all(asked), ['1', '2', '0', '2', '3'])
  })

  test('runs one at a time, users in turn, each in order, while requests fail and are aborted', async () => {
    const step = fc.record({
      user: fc.constantFrom('a', 'b', 'c'),
      outcome: fc.constantFrom('done', 'fails', 'leaves'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const queue = newQueue(40)
        const gate = held()
        const first = queue.run({ user: 'gate', key: 'gate' }, gate.work)
        const begun: { user: string; at: number }[] = []
        let underWay = 0
        const asked = steps.map(({ user, outcome }, at) => {
          const left = new AbortController()
          const response = queue.run({ user, key: String(at), signal: left.signal }, async () => {
            begun.push({ user, at })
            assert.equal(++underWay, 1)
            await tick()
            underWay--
            if (outcome === 'fails') throw new Error('failed')
          })
          if (outcome === 'leaves') left.abort(new Error('gone'))
          return response
        })

        gate.end('open')
        const [, ...ends] = await Promise.allSettled([first, ...asked])

        assert.deepEqual(
          ends.map(({ status }) => status === 'fulfilled'),
          steps.map(({ outcome }) => outcome === 'done'),
        )
        const waiting = steps
          .map(({ user, outcome }, at) => ({ user, outcome, at }))
          .filter(({ outcome }) => outcome !== 'leaves')
        assert.deepEqual(
          begun.map(({ at }) => at).toSorted((a, b) => a - b),
          waiting.map(({ at }) => at),
        )
        for (const name of ['a', 'b', 'c']) {
          const own = begun.filter(({ user }) => user === name).map(({ at }) => at)
          assert.deepEqual(
            own,
            own.toSorted((a, b) => a - b),
          )
        }
        // Between two of one user, everybody who still waits has had a turn.
        begun.forEach(({ user }, at) => {
          const next = begun.findIndex((one, later) => later > at && one.user === user)
          if (next === -1) return
          const others = new Set(begun.slice(next).map((one) => one.user))
          const between = new Set(begun.slice(at + 1, next).map((one) => one.user))
          others.delete(user)
          assert.ok([...others].every((other) => between.has(other)))
        })
      }),
      { numRuns: runs(100) },
    )
  })
})
