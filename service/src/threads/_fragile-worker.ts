/** A program for the tests of `TaskThread` with tasks that fail in every way. */
import process from 'node:process'
import { RefusedError } from '../errors/refused-error.ts'
import { runTasks } from './run-tasks.ts'

runTasks(
  {
    double: (samples: Float64Array<ArrayBuffer>) => ({ samples: samples.map((one) => 2 * one) }),
    refuse: (sentence: string) => {
      throw new RefusedError('invalid', sentence)
    },
    fail: (sentence: string) => {
      throw new TypeError(sentence)
    },
    crash: (sentence: string) => {
      queueMicrotask(() => {
        throw new Error(sentence)
      })
      return { samples: Float64Array.of() }
    },
    spin: (shared: SharedArrayBuffer) => {
      for (const turns = new Int32Array(shared); ;) Atomics.add(turns, 0, 1)
    },
    die: () => process.exit(),
  },
  ({ samples }) => [samples.buffer],
)
