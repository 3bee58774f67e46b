import { POINTS_AT_ONCE, writePoints, type PointScale } from '../../domain/vibration/point-text.ts'
import { release } from '../../concurrency/release-memory.ts'
import { TaskThread } from '../../threads/task-thread.ts'

/** Up to this many points are formatted on the main thread, which hardly delays other requests. */
const SHORT_POINTS = 2_048

type Samples = Float64Array<ArrayBuffer>

/** Formats the points of waveforms and spectra as JSON, those of long ones in a thread. */
export class PointTexts implements AsyncDisposable {
  readonly #thread = new TaskThread(new URL('./text-worker.ts', import.meta.url), 'text')

  /**
   * The points as JSON text in parts. Releases the memory of the chunks.
   *
   * While a part of a long list is sent, the thread formats the next one.
   */
  async *write(
    chunks: AsyncIterable<Float64Array> | Iterable<Float64Array>,
    scale: PointScale,
  ): AsyncGenerator<Uint8Array> {
    let first = 0
    let previous: Promise<Uint8Array> | undefined
    for await (const part of toParts(chunks)) {
      const { length } = part
      const isShort = previous === undefined && length <= SHORT_POINTS
      const text = isShort
        ? Promise.resolve(writePoints(part, first, scale))
        : this.#writeInThread(part, first, scale)
      // A response that is abandoned does not await it.
      text.catch(() => {})
      first += length
      if (previous !== undefined) yield await previous
      previous = text
    }
    if (previous !== undefined) yield await previous
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread[Symbol.asyncDispose]()
  }

  async #writeInThread(part: Samples, first: number, scale: PointScale): Promise<Uint8Array> {
    const task = { name: 'write', given: [part, first, scale] }
    const text = await this.#thread.run(task, [part.buffer])
    if (text instanceof Uint8Array) return text
    throw new Error('the text thread did not return bytes')
  }
}

/** The same samples in parts of `POINTS_AT_ONCE`, each with a buffer of its own. */
async function* toParts(
  chunks: AsyncIterable<Float64Array> | Iterable<Float64Array>,
): AsyncGenerator<Samples> {
  let part = new Float64Array(POINTS_AT_ONCE)
  let filled = 0
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      const samples = chunk.subarray(at, at + POINTS_AT_ONCE - filled)
      part.set(samples, filled)
      filled += samples.length
      at += samples.length
      if (filled < POINTS_AT_ONCE) continue
      yield part
      part = new Float64Array(POINTS_AT_ONCE)
      filled = 0
    }
    release(chunk)
  }
  if (filled > 0) yield part.slice(0, filled)
}
