import { inSlices } from '../../concurrency/in-slices.ts'
import { SerialQueue } from '../../concurrency/serial-queue.ts'
import type { UnitConversion } from '../../domain/units/units.ts'
import { isObject } from '../../json/is-object.ts'
import { TaskThread } from '../../threads/task-thread.ts'
import type { AssignedChannels, PlannedWaveform } from './assign-channels.ts'
import { decodeSamples, SAMPLE_BYTES, type SampleDecoding } from './decode-samples.ts'
import { PreparedSamples } from './prepared-samples.ts'
import { readFile, type FilePlan } from './read-file.ts'
import type { WAVEFORM_TASKS } from './waveform-tasks.ts'

/** Up to this, reading a body takes 2 to 4 ms of the main thread: measured with CSV and miniSEED. */
const LARGE_BYTES = 256 * 1024

/** A list with more samples is prepared in the thread, as its bytes would be. */
const LARGE_COUNT = LARGE_BYTES / SAMPLE_BYTES.float64

/** A waveform as ingest takes it, with prepared samples. */
type PreparedWaveform = Omit<PlannedWaveform, 'samples'> & { samples: PreparedSamples }

export type ReadWaveforms = AssignedChannels<PlannedWaveform | PreparedWaveform>

/**
 * Reads waveforms from bodies, large ones in a thread.
 *
 * Large bodies are read and stored one after the other: each takes many times its own bytes of
 * memory, until it is stored.
 */
export class WaveformBodyReader implements AsyncDisposable {
  readonly #thread = new TaskThread<typeof WAVEFORM_TASKS>(
    new URL('./waveform-worker.ts', import.meta.url),
    'waveforms',
  )
  readonly #large = new SerialQueue()

  /** Reads a file and stores its waveforms. Takes the bytes over. */
  file<Result>(
    bytes: Uint8Array,
    plan: FilePlan,
    store: (read: ReadWaveforms) => Promise<Result>,
  ): Promise<Result> {
    return isLarge(bytes)
      ? this.#large.run(async () => store(await this.#readFile(bytes, plan)))
      : store(readFile(bytes, plan))
  }

  /**
   * Decodes bare samples and stores them: prepared and converted where they are many, else as they
   * are. Takes the bytes over.
   */
  samples<Result>(
    bytes: Uint8Array,
    decoding: SampleDecoding,
    store: (samples: unknown) => Promise<Result>,
  ): Promise<Result> {
    return isLarge(bytes)
      ? this.#large.run(async () => store(await this.#decode(bytes, decoding)))
      : store(decodeSamples(bytes, decoding.encoding))
  }

  /**
   * A waveform with its samples prepared and converted in the thread, where they are many numbers; else
   * as it is.
   */
  async prepare(waveform: unknown, conversion?: UnitConversion): Promise<unknown> {
    if (!isObject(waveform)) return waveform
    const { samples } = waveform
    if (!Array.isArray(samples) || samples.length <= LARGE_COUNT) return waveform
    const own = new Float64Array(samples.length)
    let isWhole = true
    await inSlices(samples, (sample: unknown, at) => {
      if (typeof sample === 'number') own[at] = sample
      else isWhole = false
    })
    if (!isWhole) return waveform
    const bytes = new Uint8Array(own.buffer)
    const prepared = await this.#large.run(() =>
      this.#decode(bytes, { encoding: 'float64', conversion }),
    )
    return { ...waveform, samples: prepared }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread[Symbol.asyncDispose]()
  }

  async #readFile(bytes: Uint8Array, plan: FilePlan): Promise<ReadWaveforms> {
    const own = toOwned(bytes)
    const task = { name: 'file', given: [own, plan] } as const
    const { prepared, channels } = await this.#thread.run(task, [own.buffer])
    const planned = prepared.map(({ waveform, preparation }) => ({
      ...waveform,
      samples: new PreparedSamples(preparation),
    }))
    return { planned, ...channels }
  }

  async #decode(bytes: Uint8Array, decoding: SampleDecoding): Promise<PreparedSamples> {
    const own = toOwned(bytes)
    const task = { name: 'samples', given: [own, decoding] } as const
    const { prepared } = await this.#thread.run(task, [own.buffer])
    return new PreparedSamples(prepared[0].preparation)
  }
}

/** Bytes with memory of their own, which can be moved; those that share theirs are copied. */
function toOwned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes
  const isWhole = buffer instanceof ArrayBuffer && bytes.length === buffer.byteLength
  return isWhole ? new Uint8Array(buffer) : new Uint8Array(bytes)
}

/** Whether a body is read in the thread. */
const isLarge = (bytes: Uint8Array): boolean => bytes.length > LARGE_BYTES
