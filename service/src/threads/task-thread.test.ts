import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../test/_eventually.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { TaskThread } from './task-thread.ts'

const newThread = () => new TaskThread(new URL('./_fragile-worker.ts', import.meta.url), 'fragile')

const double = (thread: TaskThread, samples: Float64Array<ArrayBuffer>) =>
  thread.run({ name: 'double', given: [samples] }, [samples.buffer])

const run = (thread: TaskThread, name: string, ...given: unknown[]) =>
  thread.run({ name, given }, [])

test('a task takes memory over and hands its own back', async () => {
  const samples = Float64Array.of(1, 2.5)

  const result = await double(newThread(), samples)

  assert.deepEqual(result, { samples: Float64Array.of(2, 5) })
  assert.equal(samples.length, 0)
})

test('what a task refuses is refused by the same sentence, and other errors stay errors', async () => {
  const thread = newThread()

  await assert.rejects(run(thread, 'refuse', 'line 3: 7, expected 8'), (error) => {
    assert.ok(error instanceof RefusedError)
    assert.deepEqual([error.reason, error.message], ['invalid', 'line 3: 7, expected 8'])
    return true
  })
  await assert.rejects(run(thread, 'fail', 'no memory'), (error) => {
    assert.ok(!(error instanceof RefusedError))
    assert.equal((error as Error).message, 'no memory')
    return true
  })
})

test('a thread that dies fails the tasks it had, and the next ones get a new thread', async () => {
  const thread = newThread()
  const dying = run(thread, 'die')
  const behind = double(thread, Float64Array.of(1))

  const lost = await Promise.allSettled([dying, behind])
  const next = await double(thread, Float64Array.of(1))

  assert.deepEqual(
    lost.map((one) => one.status === 'rejected' && (one.reason as Error).message),
    ['the fragile thread has stopped', 'the fragile thread has stopped'],
  )
  assert.deepEqual(next, { samples: Float64Array.of(2) })
})

test('the end of a thread that crashed does not touch the one that took its place', async () => {
  const thread = newThread()
  const crashing = run(thread, 'crash', 'out of memory')
  const behind = double(thread, Float64Array.of(1))
  crashing.catch(() => undefined)

  await assert.rejects(behind, /^Error: out of memory$/)
  const next = await double(thread, Float64Array.of(1))

  assert.deepEqual(next, { samples: Float64Array.of(2) })
})

test('what cannot be sent to a thread fails, and the thread goes on', async () => {
  const thread = newThread()

  await assert.rejects(
    run(thread, 'double', () => 1),
    /could not be cloned/,
  )

  assert.deepEqual(await double(thread, Float64Array.of(3)), { samples: Float64Array.of(6) })
})

test('a task that nobody waits for any more ends with its thread, and the next gets a new one', async () => {
  const thread = newThread()
  const left = new AbortController()
  const shared = new SharedArrayBuffer(4)
  const endless = thread.run({ name: 'spin', given: [shared] }, [], left.signal)
  await eventually(() => assert.ok(Atomics.load(new Int32Array(shared), 0) > 0))

  left.abort(new Error('the client has gone'))
  await assert.rejects(endless, /^Error: the client has gone$/)
  const next = await double(thread, Float64Array.of(1))
  const never = thread.run({ name: 'spin', given: [shared] }, [], left.signal)

  await assert.rejects(never, /^Error: the client has gone$/)
  assert.deepEqual(next, { samples: Float64Array.of(2) })
})

test('a thread that is closed fails the tasks it had, and its end is waited for', async () => {
  const thread = newThread()
  const shared = new SharedArrayBuffer(4)
  const endless = thread.run({ name: 'spin', given: [shared] }, [])
  const failed = assert.rejects(endless, /^Error: the fragile thread was stopped$/)
  await eventually(() => assert.ok(Atomics.load(new Int32Array(shared), 0) > 0))

  await thread[Symbol.asyncDispose]()

  await failed
})
