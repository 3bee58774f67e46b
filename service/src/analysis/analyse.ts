import { inTurn } from '../domain/in-turn.ts'
import { toSamples, type CutSamples } from '../domain/vibration/cut-samples.ts'
import { TASKS, type TaskName, type TaskOptions, type TaskResult } from './tasks.ts'
import { TaskThread } from '../threads/task-thread.ts'

/** Above this a task would keep other requests waiting. */
const LONG_POINTS = 16_384

const thread = new TaskThread(new URL('./analysis-worker.ts', import.meta.url), 'analysis')

/** A waveform whose samples are read when its turn has come: those that wait take no memory. */
export type Waveform = {
  length: number
  sampleHz: number
  /** Gives the samples away. */
  read(signal?: AbortSignal): Promise<Float64Array<ArrayBuffer> | CutSamples>
}

/**
 * Does a task on a waveform; on a long one in a thread of its own, one after the other.
 *
 * When the signal is aborted, a long task that waits is not begun, and one under way ends with its
 * thread: both fail with the signal's reason.
 */
export async function analyse<Name extends TaskName>(
  name: Name,
  { length, sampleHz, read }: Waveform,
  options: TaskOptions<Name>,
  signal?: AbortSignal,
): Promise<TaskResult<Name>> {
  if (length <= LONG_POINTS) {
    const task = TASKS[name] as unknown as Task<Name>
    return task(toSamples(await read(signal)), sampleHz, options)
  }
  return inTurn(thread, async () => {
    signal?.throwIfAborted()
    const samples = await read(signal)
    const moved = samples instanceof Float64Array ? [samples.buffer] : []
    return (await thread.run(
      { name, given: [samples, sampleHz, options] },
      moved,
      signal,
    )) as TaskResult<Name>
  })
}

type Task<Name extends TaskName> = (
  samples: Float64Array,
  sampleHz: number,
  options: TaskOptions<Name>,
) => TaskResult<Name>
