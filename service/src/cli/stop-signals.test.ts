import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StopSignals } from './stop-signals.ts'

test('the first signal stops, its repetitions within two seconds are the same one', () => {
  const signals = new StopSignals()

  const steps = [5_000, 5_001, 5_003, 6_999].map((at) => signals.take(at))

  assert.deepEqual(steps, ['stop', 'same', 'same', 'same'])
})

test('a signal two seconds after the first means now, however many came between', () => {
  const signals = new StopSignals()

  const steps = [0, 1_900, 2_000, 2_001].map((at) => signals.take(at))

  assert.deepEqual(steps, ['stop', 'same', 'now', 'now'])
})
