import { TASKS, type TaskName, type TaskOptions, type TaskResult } from './tasks.ts'
import { AnalysisThread } from './analysis-thread.ts'

/** Above this a task would keep other requests waiting. */
const LONG_POINTS = 16_384

let thread: AnalysisThread | undefined

/**
 * Does a task on a waveform; on a long one in a thread of its own, one after the other.
 *
 * Takes the samples over: whoever needs them afterwards gives a copy.
 */
export async function analyse<Name extends TaskName>(
  name: Name,
  samples: Float64Array<ArrayBuffer>,
  sampleHz: number,
  options: TaskOptions<Name>,
): Promise<TaskResult<Name>> {
  if (samples.length <= LONG_POINTS) {
    const task = TASKS[name] as unknown as Task<Name>
    return task(samples, sampleHz, options)
  }
  thread ??= new AnalysisThread()
  return (await thread.run({ name, samples, sampleHz, options })) as TaskResult<Name>
}

type Task<Name extends TaskName> = (
  samples: Float64Array,
  sampleHz: number,
  options: TaskOptions<Name>,
) => TaskResult<Name>
