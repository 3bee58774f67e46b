import { toSamples, type CutSamples } from '../domain/vibration/cut-samples.ts'
import { TASKS, type TaskName, type TaskOptions, type TaskResult } from './tasks.ts'
import { TaskThread } from '../threads/task-thread.ts'

/** Above this a task would keep other requests waiting. */
const LONG_POINTS = 16_384

/** A waveform whose samples are read when its turn has come: those that wait take no memory. */
export type Waveform = {
  length: number
  sampleHz: number
  /** Gives the samples away. */
  read(signal?: AbortSignal): Promise<Float64Array<ArrayBuffer> | CutSamples>
}

/** Whether tasks on a waveform of so many samples are done in a thread, one after the other. */
export const isLong = (length: number): boolean => length > LONG_POINTS

/** Does tasks on waveforms; on long ones in a thread of its own. */
export class Analyser implements AsyncDisposable {
  readonly #thread: TaskThread

  /** `name` is that of the thread. */
  constructor(name: string) {
    this.#thread = new TaskThread(new URL('./analysis-worker.ts', import.meta.url), name)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread[Symbol.asyncDispose]()
  }

  /**
   * Does a task on a waveform; on a long one whoever calls does one at a time.
   *
   * When the signal is aborted, a long task ends with its thread, and fails with the signal's reason.
   */
  async analyse<Name extends TaskName>(
    name: Name,
    { length, sampleHz, read }: Waveform,
    options: TaskOptions<Name>,
    signal?: AbortSignal,
  ): Promise<TaskResult<Name>> {
    const samples = await read(signal)
    if (!isLong(length)) {
      const task = TASKS[name] as unknown as Task<Name>
      return task(toSamples(samples), sampleHz, options)
    }
    const moved = samples instanceof Float64Array ? [samples.buffer] : []
    const task = { name, given: [samples, sampleHz, options] }
    return (await this.#thread.run(task, moved, signal)) as TaskResult<Name>
  }
}

type Task<Name extends TaskName> = (
  samples: Float64Array,
  sampleHz: number,
  options: TaskOptions<Name>,
) => TaskResult<Name>
