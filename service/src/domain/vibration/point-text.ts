import {
  NUMBER_BYTES,
  textSpace,
  writeNumber,
  type TextSpace,
} from '../../encodings/number-text.ts'

/** How points say where they stand: the name, and `((base + number) * factor) / divisor`. */
export type PointPlaces = {
  name: 'time' | 'frequency'
  base: number
  factor: number
  divisor: number
}

/** The most points that are written in one go. */
export const POINTS_AT_ONCE = 4_096

const BEFORE = wordsOf(',{"value":"')
const BETWEEN = { time: wordsOf('","time":"'), frequency: wordsOf('","frequency":"') }
const COMMA_BYTES = 1
const END_BYTES = 2
const POINT_BYTES = 16 + 16 + END_BYTES + 2 * NUMBER_BYTES

let space: TextSpace | undefined

/**
 * Writes points, at most `POINTS_AT_ONCE`, as `{"value":"…","time":"…"}` with commas between them,
 * into memory of their own.
 *
 * They are numbered from `first` on; what is not the very first begins with a comma.
 */
export function writePoints(
  values: Float64Array,
  first: number,
  places: PointPlaces,
): Uint8Array<ArrayBuffer> {
  space ??= textSpace(POINTS_AT_ONCE * POINT_BYTES)
  const { base, factor, divisor } = places
  const between = BETWEEN[places.name]
  let end = 0
  for (let at = 0; at < values.length; at++)
    end = writePoint(space, end, values[at]!, ((base + first + at) * factor) / divisor, between)
  return space.bytes.slice(first === 0 ? COMMA_BYTES : 0, end)
}

function writePoint(
  space: TextSpace,
  start: number,
  value: number,
  place: number,
  between: Words,
): number {
  const { view } = space
  view.setUint32(start, BEFORE.a)
  view.setUint32(start + 4, BEFORE.b)
  view.setUint32(start + 8, BEFORE.c)
  let at = writeNumber(space, start + BEFORE.length, value)
  view.setUint32(at, between.a)
  view.setUint32(at + 4, between.b)
  view.setUint32(at + 8, between.c)
  view.setUint32(at + 12, between.d)
  at = writeNumber(space, at + between.length, place)
  view.setUint16(at, 0x227d)
  return at + END_BYTES
}

/** A text of at most sixteen bytes as four numbers; what they have too many is written over. */
type Words = Readonly<{ a: number; b: number; c: number; d: number; length: number }>

function wordsOf(text: string): Words {
  const padded = Buffer.from(text.padEnd(16))
  const word = (at: number): number => padded.readUInt32BE(4 * at)
  return { a: word(0), b: word(1), c: word(2), d: word(3), length: text.length }
}
