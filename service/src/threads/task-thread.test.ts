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

test('memory is moved to a task and back', async () => {
  const samples = Float64Array.of(1, 2.5)

  const result = await double(newThread(), samples)

  assert.deepEqual(result, { samples: Float64Array.of(2, 5) })
  assert.equal(samples.length, 0)
})

test('a RefusedError of a task keeps its sentence, and other errors stay errors', async () => {
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

test('the tasks of a thread that dies fail, and the next ones get a new thread', async () => {
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

test('the exit of a thread that crashed does not affect the next one', async () => {
  const thread = newThread()
  const crashing = run(thread, 'crash', 'out of memory')
  const behind = double(thread, Float64Array.of(1))
  crashing.catch(() => undefined)

  await assert.rejects(behind, /^Error: out of memory$/)
  const next = await double(thread, Float64Array.of(1))

  assert.deepEqual(next, { samples: Float64Array.of(2) })
})

test('arguments that cannot be sent to a thread fail, and the thread continues', async () => {
  const thread = newThread()

  await assert.rejects(
    run(thread, 'double', () => 1),
    /could not be cloned/,
  )

  assert.deepEqual(await double(thread, Float64Array.of(3)), { samples: Float64Array.of(6) })
})

test('an aborted task ends with its thread, and the next one gets a new thread', async () => {
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

test('disposing a thread fails its tasks and waits for its end', async () => {
  const thread = newThread()
  const shared = new SharedArrayBuffer(4)
  const endless = thread.run({ name: 'spin', given: [shared] }, [])
  const failed = assert.rejects(endless, /^Error: the fragile thread was stopped$/)
  await eventually(() => assert.ok(Atomics.load(new Int32Array(shared), 0) > 0))

  await thread[Symbol.asyncDispose]()

  await failed
})
