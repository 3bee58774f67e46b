import { toSamples, type SampleChunks } from '../domain/vibration/sample-chunks.ts'
import { runTasks } from '../threads/answer-tasks.ts'
import { TASKS } from './tasks.ts'

type AnyTask = (samples: Float64Array, sampleHz: number, options: object) => object

const takesBoth =
  (task: AnyTask) =>
  (samples: Float64Array | SampleChunks, sampleHz: number, options: object): object =>
    task(toSamples(samples), sampleHz, options)

runTasks(
  Object.fromEntries(
    Object.entries(TASKS).map(([name, task]) => [name, takesBoth(task as AnyTask)]),
  ),
  longListsOf,
)

/** Long lists of numbers are handed over, not copied. */
function longListsOf(result: object): ArrayBuffer[] {
  const lists = Object.values(result).filter((value) => value instanceof Float64Array)
  return lists.map(({ buffer }) => buffer as ArrayBuffer)
}
