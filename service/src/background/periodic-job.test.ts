import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { startPeriodicJob } from './periodic-job.ts'

const EVERY = 1_000

/** Runs that end when the test says so. */
class HeldRuns {
  readonly #open: PromiseWithResolvers<void>[] = []
  begun = 0

  run = (): Promise<void> => {
    this.begun++
    const held = Promise.withResolvers<void>()
    this.#open.push(held)
    return held.promise
  }

  async end(failure?: Error): Promise<void> {
    await setImmediate()
    const held = this.#open.shift()!
    if (failure === undefined) held.resolve()
    else held.reject(failure)
    await setImmediate()
  }
}

test('a run that takes longer than the interval leaves out what it has missed', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  const runs = new HeldRuns()
  startPeriodicJob({ run: runs.run, onError: assert.fail, everyMilliseconds: EVERY })

  t.mock.timers.tick(5 * EVERY)
  await runs.end()
  const afterFirst = runs.begun
  t.mock.timers.tick(EVERY)
  await runs.end()
  const afterSecond = runs.begun

  assert.deepEqual([afterFirst, afterSecond], [1, 2])
})

test('a run that failed is told of, and the next one comes in its time', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  const runs = new HeldRuns()
  const told: string[] = []
  const onError = ({ message }: Error) => void told.push(message)
  startPeriodicJob({ run: runs.run, onError, everyMilliseconds: EVERY, firstMilliseconds: 1 })

  t.mock.timers.tick(1)
  await runs.end(new Error('no room'))
  t.mock.timers.tick(EVERY)
  await setImmediate()

  assert.deepEqual([runs.begun, told], [2, ['no room']])
})

test('when it is disposed the run under way ends first and none begins', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  const runs = new HeldRuns()
  const job = startPeriodicJob({ run: runs.run, onError: assert.fail, everyMilliseconds: EVERY })
  t.mock.timers.tick(EVERY)

  let isClosed = false
  const closing = job[Symbol.asyncDispose]().then(() => (isClosed = true))
  await setImmediate()
  const wasClosedEarly = isClosed
  await runs.end()
  await closing
  t.mock.timers.tick(3 * EVERY)

  assert.deepEqual([wasClosedEarly, isClosed, runs.begun], [false, true, 1])
})
