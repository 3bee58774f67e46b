import { POINTS_AT_ONCE, writePoints, type PointPlaces } from '../../domain/vibration/point-text.ts'
import { release } from '../../concurrency/release-memory.ts'
import { TaskThread } from '../../threads/task-thread.ts'

/** So many points of an answer are written here, at once; others hardly wait for that. */
const SHORT_POINTS = 2_048

type Values = Float64Array<ArrayBuffer>

const thread = new TaskThread(new URL('./text-worker.ts', import.meta.url), 'text')

/**
 * The points of a waveform or a spectrum as bytes, in parts.
 *
 * Takes the pieces over. Of a long one a thread writes the next part while this one is sent, so that others do not wait.
 */
export async function* pointTexts(
  pieces: AsyncIterable<Float64Array> | Iterable<Float64Array>,
  places: PointPlaces,
): AsyncGenerator<Uint8Array> {
  let first = 0
  let ahead: Promise<Uint8Array> | undefined
  for await (const part of cut(pieces)) {
    const { length } = part
    const isShort = ahead === undefined && length <= SHORT_POINTS
    const text = isShort
      ? Promise.resolve(writePoints(part, first, places))
      : writeBeside(part, first, places)
    // Nobody may ask for it any more.
    text.catch(() => {})
    first += length
    if (ahead !== undefined) yield await ahead
    ahead = text
  }
  if (ahead !== undefined) yield await ahead
}

const writeBeside = (part: Values, first: number, places: PointPlaces) =>
  thread.run({ name: 'write', given: [part, first, places] }, [part.buffer]) as Promise<Uint8Array>

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
