import { toSamples, type SampleChunks } from '../domain/vibration/sample-chunks.ts'
import { runTasks } from '../threads/run-tasks.ts'
import { TASKS, type TaskName, type TaskOptions, type TaskResult } from './tasks.ts'

const taskOnChunks =
  <Name extends TaskName>(name: Name) =>
  (
    samples: Float64Array | SampleChunks,
    sampleHz: number,
    options: TaskOptions<Name>,
  ): TaskResult<Name> =>
    TASKS[name](toSamples(samples), sampleHz, options)

runTasks(
  {
    amplitude: taskOnChunks('amplitude'),
    psd: taskOnChunks('psd'),
    peaks: taskOnChunks('peaks'),
    spectrogram: taskOnChunks('spectrogram'),
    integral: taskOnChunks('integral'),
    frequencies: taskOnChunks('frequencies'),
  } satisfies Record<TaskName, unknown>,
  buffersOf,
)

/** The memory of the lists of numbers of a result: it is transferred, not copied. */
function buffersOf(result: object): ArrayBuffer[] {
  return Object.values(result).flatMap((value) =>
    value instanceof Float64Array && value.buffer instanceof ArrayBuffer ? [value.buffer] : [],
  )
}
