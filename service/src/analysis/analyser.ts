import { toSamples, type SampleChunks } from '../domain/vibration/sample-chunks.ts'
import { TASKS, type TaskName, type TaskOptions, type TaskResult } from './tasks.ts'
import { TaskThread } from '../threads/task-thread.ts'

/** A task on more samples would delay other requests. */
const LONG_WAVEFORM = 16_384

/** A waveform whose samples are read when its task starts: waiting tasks take no memory. */
export type ReadableWaveform = {
  length: number
  sampleHz: number
  /** Returns the samples; the caller owns their memory. */
  read(signal?: AbortSignal): Promise<Float64Array<ArrayBuffer> | SampleChunks>
}

/** Whether tasks on a waveform of `length` samples run in the thread. */
export const isLong = (length: number): boolean => length > LONG_WAVEFORM

/** Runs tasks on waveforms; those on long waveforms run in a thread of its own. */
export class Analyser implements AsyncDisposable {
  readonly #thread: TaskThread

  /** `name` is the name of the thread. */
  constructor(name: string) {
    this.#thread = new TaskThread(new URL('./analysis-worker.ts', import.meta.url), name)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread[Symbol.asyncDispose]()
  }

  /**
   * Runs a task on a waveform. The caller runs tasks on long waveforms one at a time.
   *
   * When the signal is aborted, the thread ends and its task fails with the signal's reason.
   */
  async analyse<Name extends TaskName>(
    name: Name,
    { length, sampleHz, read }: ReadableWaveform,
    options: TaskOptions<Name>,
    signal?: AbortSignal,
  ): Promise<TaskResult<Name>> {
    const samples = await read(signal)
    if (!isLong(length)) return TASKS[name](toSamples(samples), sampleHz, options)
    const moved = samples instanceof Float64Array ? [samples.buffer] : []
    const task = { name, given: [samples, sampleHz, options] }
    return (await this.#thread.run(task, moved, signal)) as TaskResult<Name>
  }
}
