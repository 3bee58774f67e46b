import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { startJob, type JobOptions } from './job.ts'

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

/** A job on a clock that is held, and the sentences that it logs. */
function start(t: TestContext, options: Partial<JobOptions> = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const runs = new HeldRuns()
  const logged: string[] = []
  const job = startJob({
    name: 'Sealing',
    run: runs.run,
    log: {
      warn: (sentence) => void logged.push(sentence),
      info: (sentence) => void logged.push(sentence),
    },
    everyMilliseconds: EVERY,
    ...options,
  })
  return { runs, logged, job }
}

test('a run begins an interval after the start, and the next an interval after its end', async (t) => {
  const { runs } = start(t)
  const begun: number[] = []
  const pass = async (milliseconds: number): Promise<void> => {
    t.mock.timers.tick(milliseconds)
    await setImmediate()
    begun.push(runs.begun)
  }

  await pass(EVERY - 1)
  await pass(1)
  await pass(5 * EVERY)
  await runs.end()
  await pass(EVERY - 1)
  await pass(1)

  assert.deepEqual(begun, [0, 1, 1, 1, 2])
})

/** A job that runs each second, with what the runs come to: a failure for each text. */
async function runEverySecond(t: TestContext, results: readonly (string | undefined)[]) {
  let now = 0
  const { runs, logged } = start(t, { firstMilliseconds: 0, monotonic: () => now })
  const lines: [second: number, sentence: string][] = []
  for (const [second, failure] of results.entries()) {
    now = second * EVERY
    await runs.end(failure === undefined ? undefined : new Error(failure))
    for (const sentence of logged.splice(0)) lines.push([second, sentence])
    t.mock.timers.tick(EVERY)
    await setImmediate()
  }
  return { lines, begun: runs.begun }
}

test('a run that fails is logged with its reason, and the next one begins on schedule', async (t) => {
  const { lines, begun } = await runEverySecond(t, ['no room'])

  assert.equal(begun, 2)
  assert.deepEqual(lines, [[0, 'Sealing failed: no room. The next attempt is in 1 s.']])
})

test('runs that fail one after another are logged once a minute, and the end of it once', async (t) => {
  const { lines } = await runEverySecond(t, [
    ...Array.from({ length: 130 }, (_, second) => `second ${second}.`),
    undefined,
    undefined,
  ])

  assert.deepEqual(lines, [
    [0, 'Sealing failed: second 0. The next attempt is in 1 s.'],
    [60, 'Sealing failed: second 60. The next attempt is in 1 s.'],
    [120, 'Sealing failed: second 120. The next attempt is in 1 s.'],
    [130, 'Sealing succeeded again.'],
  ])
})

test('runs that fail and succeed in turn are logged once a minute', async (t) => {
  const results = Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? 'no room' : undefined))
  const { lines } = await runEverySecond(t, [...results, 'no room', undefined])

  assert.deepEqual(lines, [
    [0, 'Sealing failed: no room. The next attempt is in 1 s.'],
    [1, 'Sealing succeeded again.'],
    [60, 'Sealing failed: no room. The next attempt is in 1 s.'],
    [61, 'Sealing succeeded again.'],
  ])
})

test('a wake-up begins a run at once, and during a run one more', async (t) => {
  const { runs, job } = start(t)

  job.wake()
  await setImmediate()
  const atOnce = runs.begun
  job.wake()
  job.wake()
  await setImmediate()
  const during = runs.begun
  await runs.end()
  await runs.end()

  assert.deepEqual([atOnce, during, runs.begun], [1, 1, 2])
})

test('disposing waits for the run under way, and none begins', async (t) => {
  const { runs, job, logged } = start(t, { firstMilliseconds: 0 })

  let isClosed = false
  const closing = job[Symbol.asyncDispose]().then(() => (isClosed = true))
  await setImmediate()
  const wasClosedEarly = isClosed
  await runs.end(new Error('the disk is full'))
  await closing
  t.mock.timers.tick(3 * EVERY)

  assert.deepEqual([wasClosedEarly, isClosed, runs.begun], [false, true, 1])
  assert.deepEqual(logged, ['Sealing failed: the disk is full.'])
})

const untilStopped = async (stop: AbortSignal): Promise<void> => {
  await once(stop, 'abort')
  stop.throwIfAborted()
}

test('a run that ends by the signal of the stop has not failed', async (t) => {
  const { job, logged } = start(t, { firstMilliseconds: 0, run: untilStopped })

  await job[Symbol.asyncDispose]()

  assert.deepEqual(logged, [])
})
