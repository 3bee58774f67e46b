import { POINTS_AT_ONCE, writePoints, type PointScale } from '../../domain/vibration/point-text.ts'
import { release } from '../../concurrency/release-memory.ts'
import { TaskThread } from '../../threads/task-thread.ts'

/** So many points of an answer are written here, at once; others hardly wait for that. */
const SHORT_POINTS = 2_048

type Values = Float64Array<ArrayBuffer>

/** Writes the points of waveforms and spectra, those of long ones in a thread. */
export class PointTexts implements AsyncDisposable {
  readonly #thread = new TaskThread(new URL('./text-worker.ts', import.meta.url), 'text')

  /**
   * Points as bytes, in parts. Takes the pieces over.
   *
   * Of a long one the thread writes the next part while this one is sent.
   */
  async *write(
    pieces: AsyncIterable<Float64Array> | Iterable<Float64Array>,
    places: PointScale,
  ): AsyncGenerator<Uint8Array> {
    let first = 0
    let ahead: Promise<Uint8Array> | undefined
    for await (const part of cut(pieces)) {
      const { length } = part
      const isShort = ahead === undefined && length <= SHORT_POINTS
      const text = isShort
        ? Promise.resolve(writePoints(part, first, places))
        : this.#writeBeside(part, first, places)
      // Nobody may ask for it any more.
      text.catch(() => {})
      first += length
      if (ahead !== undefined) yield await ahead
      ahead = text
    }
    if (ahead !== undefined) yield await ahead
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread[Symbol.asyncDispose]()
  }

  #writeBeside(part: Values, first: number, places: PointScale): Promise<Uint8Array> {
    const task = { name: 'write', given: [part, first, places] }
    return this.#thread.run(task, [part.buffer]) as Promise<Uint8Array>
  }
}

/** The same values in parts of their own memory; takes the pieces over. */
async function* cut(
  pieces: AsyncIterable<Float64Array> | Iterable<Float64Array>,
): AsyncGenerator<Values> {
  let part = new Float64Array(POINTS_AT_ONCE)
  let filled = 0
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const taken = piece.subarray(at, at + POINTS_AT_ONCE - filled)
      part.set(taken, filled)
      filled += taken.length
      at += taken.length
      if (filled < POINTS_AT_ONCE) continue
      yield part
      part = new Float64Array(POINTS_AT_ONCE)
      filled = 0
    }
    release(piece)
  }
  if (filled > 0) yield part.slice(0, filled)
}
