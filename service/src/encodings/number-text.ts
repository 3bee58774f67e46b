/** Room for the longest text of a number, with the places beyond it that are written over again. */
export const NUMBER_BYTES = 40

/** Where texts of numbers are written: the same memory as bytes and as a view. */
export type TextSpace = Readonly<{ bytes: Uint8Array<ArrayBuffer>; view: DataView }>

export function textSpace(length: number): TextSpace {
  const bytes = new Uint8Array(length)
  return { bytes, view: new DataView(bytes.buffer) }
}

const ZERO = 0x30
const POINT = 0x2e
const MINUS = 0x2d
const SMALL_E = 0x65

/** Outside of these `String` is asked: there the arithmetic below would over- or underflow. */
const LEAST = 1e-280
const MOST = 1e17

/** Far above every error of the arithmetic; what lies closer to an edge is decided by `String`. */
const DOUBT = 2 ** -20

/** The four digits of each number below 10,000, as big-endian bytes. */
const QUADS = Uint32Array.from({ length: 10_000 }, (_, number) =>
  Array.from(String(number).padStart(4, '0')).reduce(
    (bytes, digit) => bytes * 256 + digit.charCodeAt(0),
    0,
  ),
)

/** Splits a double into halves of 26 bits: Dekker, Numer. Math. 18 (1971), 224. */
const SPLITTER = 2 ** 27 + 1

const ALL_ZERO = QUADS[0]!

const SCALE_WIDTH = 6

/**
 * For each binary exponent the power of ten that makes 17 or 18 digits before the point: its
 * exponent, the double next to it, that in two halves, what it lacks, and half the distance to the
 * next double, scaled.
 */
const SCALES = scales()

const FLOAT = new Float64Array(1)
const WORDS = new Uint32Array(FLOAT.buffer)

/**
 * Writes a finite number as `String` does, and says where its text ends.
 *
 * The shortest decimal that is read as the same double, and of those the closest: the number times
 * a power of ten, as a sum of two doubles, is compared with multiples of 100, 10 and 1. Whatever
 * lies on an edge, one case in some hundred thousand, is left to `String`.
 */
export function writeNumber(space: TextSpace, start: number, number: number): number {
  if (number === (number | 0)) return writeInteger(space, start, number | 0)
  const { bytes, view } = space
  let at = start
  let x = number
  if (x < 0) {
    x = -x
    bytes[at++] = MINUS
  }
  if (!(x >= LEAST && x < MOST)) return writeString(bytes, start, number)
  FLOAT[0] = x
  const word = WORDS[1]!
  // Below a power of two doubles lie closer.
  if ((word & 0xfffff) === 0 && WORDS[0] === 0) return writeString(bytes, start, number)

  const scale = (word >>> 20) * SCALE_WIDTH
  const upper = SCALES[scale + 2]!
  const lower = SCALES[scale + 3]!
  const gap = SCALES[scale + 5]!
  const product = x * SCALES[scale + 1]!
  const swollen = SPLITTER * x
  const xUpper = swollen - (swollen - x)
  const xLower = x - xUpper
  const error = xUpper * upper - product + xUpper * lower + xLower * upper + xLower * lower
  let high = Math.floor(product * 1e-8)
  const rest = product - high * 1e8 + (error + x * SCALES[scale + 4]!)

  let zeros = 2
  let low = Math.floor(rest * 0.01 + 0.5) * 100
  let distance = Math.abs(low - rest)
  if (distance >= gap - DOUBT) {
    if (distance <= gap + DOUBT) return writeString(bytes, start, number)
    zeros = 1
    low = Math.floor(rest * 0.1 + 0.5) * 10
    distance = Math.abs(low - rest)
    if (distance > gap + DOUBT) {
      zeros = 0
      low = Math.floor(rest + 0.5)
      if (Math.abs(low - rest) > 0.5 - DOUBT) return writeString(bytes, start, number)
    } else if (distance >= gap - DOUBT || distance > 5 - DOUBT)
      return writeString(bytes, start, number)
  }
  if (low < 0) {
    low += 1e8
    high -= 1
  } else if (low >= 1e8) {
    low -= 1e8
    high += 1
  }

  const count = high >= 1e9 ? 18 : 17
  const before = count - SCALES[scale]!
  if (before > 0) {
    const end = writeDigits(bytes, view, at + 1, high | 0, low | 0, zeros)
    return placePoint(bytes, at, before, end)
  }
  if (before > -6) {
    bytes[at] = ZERO
    bytes[at + 1] = POINT
    at += 2
    view.setUint32(at, ALL_ZERO)
    bytes[at + 4] = ZERO
    at -= before
    return writeDigits(bytes, view, at, high | 0, low | 0, zeros)
  }
  const end = placePoint(bytes, at, 1, writeDigits(bytes, view, at + 1, high | 0, low | 0, zeros))
  bytes[end] = SMALL_E
  bytes[end + 1] = MINUS
  return writeInteger(space, end + 2, 1 - before)
}

/** Seventeen or eighteen digits without the zeros at their end, of which some are known. */
function writeDigits(
  bytes: Uint8Array,
  view: DataView,
  start: number,
  high: number,
  low: number,
  zeros: number,
): number {
  let at = start
  let lead = (high / 1e8) | 0
  const middle = high - lead * 1e8
  if (lead >= 10) {
    bytes[at++] = ZERO + 1
    lead -= 10
  }
  bytes[at] = ZERO + lead
  const second = (middle / 1e4) | 0
  const fourth = (low / 1e4) | 0
  view.setUint32(at + 1, QUADS[second]!)
  view.setUint32(at + 5, QUADS[middle - second * 1e4]!)
  view.setUint32(at + 9, QUADS[fourth]!)
  view.setUint32(at + 13, QUADS[low - fourth * 1e4]!)
  at += 17 - zeros
  while (bytes[at - 1] === ZERO) at--
  return at
}

/** Digits stand from the second place on: those before the point go one to the left. */
function placePoint(bytes: Uint8Array, start: number, before: number, end: number): number {
  const point = start + before
  for (let at = start; at < point; at++) bytes[at] = bytes[at + 1]!
  // An integer: zeros of it that were cut off stand there still.
  if (end <= point + 1) return point
  bytes[point] = POINT
  return end
}

function writeInteger({ bytes, view }: TextSpace, start: number, integer: number): number {
  let at = start
  let left = integer
  if (left < 0) {
    bytes[at++] = MINUS
    left = -left
  }
  if (left < 1e4) return writeFirst(view, at, left)
  const upper = (left / 1e4) | 0
  at = upper < 1e4 ? writeFirst(view, at, upper) : writeUpper(view, at, upper)
  view.setUint32(at, QUADS[left - upper * 1e4]!)
  return at + 4
}

function writeUpper(view: DataView, start: number, number: number): number {
  const upper = (number / 1e4) | 0
  const at = writeFirst(view, start, upper)
  view.setUint32(at, QUADS[number - upper * 1e4]!)
  return at + 4
}

/** Up to four digits; what stands behind them is written over. */
function writeFirst(view: DataView, at: number, number: number): number {
  const zeros = number < 100 ? (number < 10 ? 3 : 2) : number < 1000 ? 1 : 0
  view.setUint32(at, QUADS[number]! << (8 * zeros))
  return at + 4 - zeros
}

function writeString(bytes: Uint8Array, start: number, number: number): number {
  const text = String(number)
  for (let at = 0; at < text.length; at++) bytes[start + at] = text.charCodeAt(at)
  return start + text.length
}

function scales(): Float64Array {
  const table = new Float64Array(2_048 * SCALE_WIDTH)
  for (let biased = 0; biased < 2_047; biased++) {
    const binary = biased - 1_023
    const decimal = 16 - Math.floor(binary * Math.log10(2))
    if (decimal < 0 || decimal > 300) continue
    const exact = 10n ** BigInt(decimal)
    const near = Number(exact)
    const swollen = SPLITTER * near
    const upper = swollen - (swollen - near)
    const lacking = Number(exact - BigInt(near))
    const gap = near * 2 ** (binary - 53)
    table.set([decimal, near, upper, near - upper, lacking, gap], biased * SCALE_WIDTH)
  }
  return table
}
