import { toSamples, type CutSamples } from '../domain/vibration/cut-samples.ts'
import { TASKS, type TaskName, type TaskOptions, type TaskResult } from './tasks.ts'
import { TaskThread } from '../threads/task-thread.ts'

/** Above this a task would keep other requests waiting. */
const LONG_POINTS = 16_384

const thread = new TaskThread(new URL('./analysis-worker.ts', import.meta.url), 'analysis')

/**
 * Does a task on a waveform; on a long one in a thread of its own, one after the other.
 *
 * Takes bare samples over: whoever needs them afterwards gives a copy.
 */
export async function analyse<Name extends TaskName>(
  name: Name,
  samples: Float64Array<ArrayBuffer> | CutSamples,
  sampleHz: number,
  options: TaskOptions<Name>,
): Promise<TaskResult<Name>> {
  if (samples.length <= LONG_POINTS) {
    const task = TASKS[name] as unknown as Task<Name>
    return task(toSamples(samples), sampleHz, options)
  }
  const given = [samples, sampleHz, options]
  const moved = samples instanceof Float64Array ? [samples.buffer] : []
  return (await thread.run({ name, given }, moved)) as TaskResult<Name>
}

type Task<Name extends TaskName> = (
  samples: Float64Array,
  sampleHz: number,
  options: TaskOptions<Name>,
) => TaskResult<Name>
