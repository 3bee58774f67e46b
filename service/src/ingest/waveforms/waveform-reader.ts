import { inSlices } from '../../concurrency/in-slices.ts'
import { SerialQueue } from '../../concurrency/serial-queue.ts'
import { TaskThread } from '../../threads/task-thread.ts'
import type { PlannedBatch } from './assign-channels.ts'
import { decodeSamples, SAMPLE_BYTES, type Encoding } from './decode-samples.ts'
import { PreparedSamples } from './prepared-samples.ts'
import { readFile, type FilePlan } from './read-file.ts'
import type { WAVEFORM_TASKS } from './waveform-tasks.ts'

/** Up to this, others wait for 2 to 4 ms while a body is read: measured with CSV and miniSEED. */
const LARGE_BYTES = 256 * 1024

/** Above this a list of samples is prepared beside the main thread, as its bytes would be. */
const LARGE_COUNT = LARGE_BYTES / SAMPLE_BYTES.float64

/** A waveform as ingest takes it, its samples prepared. */
export type PreparedBatch = Omit<PlannedBatch, 'samples'> & { samples: PreparedSamples }

export type ReadWaveforms = { batches: (PlannedBatch | PreparedBatch)[]; unmapped: string[] }

/**
 * Reads waveforms out of bodies, large ones in a thread.
 *
 * Large bodies are read and stored one after the other: each takes many times its own bytes of
 * memory, until it is stored.
 */
export class WaveformReader implements AsyncDisposable {
  readonly #thread = new TaskThread(new URL('./waveform-worker.ts', import.meta.url), 'waveforms')
  readonly #large = new SerialQueue()

  /** Reads a file and stores what it holds. Takes the bytes over. */
  file<Result>(
    bytes: Uint8Array,
    plan: FilePlan,
    store: (read: ReadWaveforms) => Promise<Result>,
  ): Promise<Result> {
    return isLarge(bytes)
      ? this.#large.run(async () => store(await this.#readFile(bytes, plan)))
      : store(readFile(bytes, plan))
  }

  /** Decodes bare samples and stores them. Takes the bytes over. */
  samples<Result>(
    bytes: Uint8Array,
    encoding: Encoding,
    store: (samples: unknown) => Promise<Result>,
  ): Promise<Result> {
    return isLarge(bytes)
      ? this.#large.run(async () => store(await this.#decode(bytes, encoding)))
      : store(decodeSamples(bytes, encoding))
  }

  /** A waveform whose samples are prepared in the thread where they are many and numbers. */
  async prepare(waveform: unknown): Promise<unknown> {
    const { samples } = (waveform ?? {}) as { samples?: unknown }
    if (!Array.isArray(samples) || samples.length <= LARGE_COUNT) return waveform
    const own = new Float64Array(samples.length)
    let isWhole = true
    await inSlices(samples, (sample: unknown, at) => {
      if (typeof sample === 'number') own[at] = sample
      else isWhole = false
    })
    if (!isWhole) return waveform
    const bytes = new Uint8Array(own.buffer)
    const prepared = await this.#large.run(() => this.#decode(bytes, 'float64'))
    return { ...(waveform as object), samples: prepared }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread[Symbol.asyncDispose]()
  }

  async #readFile(bytes: Uint8Array, plan: FilePlan): Promise<ReadWaveforms> {
    const { prepared, unmapped } = await this.#run('file', bytes, plan)
    const batches = prepared.map(({ batch, preparation }) => ({
      ...batch,
      samples: new PreparedSamples(preparation),
    }))
    return { batches, unmapped }
  }

  async #decode(bytes: Uint8Array, encoding: Encoding): Promise<PreparedSamples> {
    const { prepared } = await this.#run('samples', bytes, encoding)
    return new PreparedSamples(prepared[0]!.preparation)
  }

  async #run<Name extends keyof Tasks>(
    name: Name,
    bytes: Uint8Array,
    how: Parameters<Tasks[Name]>[1],
  ): Promise<ReturnType<Tasks[Name]>> {
    // Bytes that share their memory with others stay there, and a copy goes.
    const isWhole = bytes.buffer instanceof ArrayBuffer && bytes.length === bytes.buffer.byteLength
    const own = (isWhole ? bytes : new Uint8Array(bytes)) as Uint8Array<ArrayBuffer>
    const task = { name, given: [own, how] }
    return (await this.#thread.run(task, [own.buffer])) as ReturnType<Tasks[Name]>
  }
}

type Tasks = typeof WAVEFORM_TASKS

/** Whether a body is read in the thread. */
export const isLarge = (bytes: Uint8Array): boolean => bytes.length > LARGE_BYTES
