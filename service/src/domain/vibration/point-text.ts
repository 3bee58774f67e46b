import {
  NUMBER_BYTES,
  textSpace,
  writeNumber,
  type TextSpace,
} from '../../encodings/number-text.ts'

/** The second member of points: its name, and its value `((base + index) * factor) / divisor`. */
export type PointScale = {
  name: 'time' | 'frequency'
  base: number
  factor: number
  divisor: number
}

/** The maximum number of points of one call of `writePoints`. */
export const POINTS_AT_ONCE = 4_096

const VALUE_START = wordsOf(',{"value":"')
const SCALE_START = { time: wordsOf('","time":"'), frequency: wordsOf('","frequency":"') }
const COMMA_BYTES = 1
const END_BYTES = 2
const POINT_BYTES = 16 + 16 + END_BYTES + 2 * NUMBER_BYTES

let space: TextSpace | undefined

/**
 * Returns points, at most `POINTS_AT_ONCE`, as `{"value":"…","time":"…"}` separated by commas.
 *
 * `first` is the index of the first point; unless it is 0 the text begins with a comma.
 */
export function writePoints(
  values: Float64Array,
  first: number,
  scale: PointScale,
): Uint8Array<ArrayBuffer> {
  space ??= textSpace(POINTS_AT_ONCE * POINT_BYTES)
  const { base, factor, divisor } = scale
  const scaleStart = SCALE_START[scale.name]
  let end = 0
  for (let at = 0; at < values.length; at++)
    end = writePoint(space, end, values[at]!, ((base + first + at) * factor) / divisor, scaleStart)
  return space.bytes.slice(first === 0 ? COMMA_BYTES : 0, end)
}

function writePoint(
  space: TextSpace,
  start: number,
  value: number,
  position: number,
  scaleStart: TextWords,
): number {
  const { view } = space
  view.setUint32(start, VALUE_START.a)
  view.setUint32(start + 4, VALUE_START.b)
  view.setUint32(start + 8, VALUE_START.c)
  let at = writeNumber(space, start + VALUE_START.length, value)
  view.setUint32(at, scaleStart.a)
  view.setUint32(at + 4, scaleStart.b)
  view.setUint32(at + 8, scaleStart.c)
  view.setUint32(at + 12, scaleStart.d)
  at = writeNumber(space, at + scaleStart.length, position)
  view.setUint16(at, 0x227d)
  return at + END_BYTES
}

/** A text of at most sixteen bytes as four 32-bit words; bytes after its length are overwritten. */
type TextWords = Readonly<{ a: number; b: number; c: number; d: number; length: number }>

function wordsOf(text: string): TextWords {
  const padded = Buffer.from(text.padEnd(16))
  const word = (at: number): number => padded.readUInt32BE(4 * at)
  return { a: word(0), b: word(1), c: word(2), d: word(3), length: text.length }
}
