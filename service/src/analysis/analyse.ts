import { joinSamples, type CutSamples } from '../domain/vibration/cut-samples.ts'
import { TASKS, type TaskName, type TaskOptions, type TaskResult } from './tasks.ts'
import { TaskThread } from './task-thread.ts'

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
  const isBare = samples instanceof Float64Array
  if (samples.length <= LONG_POINTS) {
    const task = TASKS[name] as unknown as Task<Name>
    return task(isBare ? samples : joinSamples(samples), sampleHz, options)
  }
  const given = [samples, sampleHz, options]
  return (await thread.run({ name, given }, isBare ? [samples.buffer] : [])) as TaskResult<Name>
}

type Task<Name extends TaskName> = (
  samples: Float64Array,
  sampleHz: number,
  options: TaskOptions<Name>,
) => TaskResult<Name>
