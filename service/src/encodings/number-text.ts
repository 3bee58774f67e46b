/** The bytes of the longest text of a number, and those after it that are overwritten. */
export const NUMBER_BYTES = 40

/** Memory for texts of numbers: as bytes and as a view. */
export type TextSpace = Readonly<{ bytes: Uint8Array<ArrayBuffer>; view: DataView }>

/** Allocates memory for texts of numbers. */
export function textSpace(length: number): TextSpace {
  const bytes = new Uint8Array(length)
  return { bytes, view: new DataView(bytes.buffer) }
}

const ZERO = 0x30
const POINT = 0x2e
const MINUS = 0x2d
const SMALL_E = 0x65

/** The range of numbers that this module formats; others, which would overflow, go to `String`. */
const FAST_MINIMUM = 1e-280
const FAST_LIMIT = 1e17

/** Far above every rounding error. Numbers closer to a decision boundary go to `String`. */
const MARGIN = 2 ** -20

/** The four digits of each number below 10,000 as ASCII bytes. */
const DIGITS = new DataView(
  Uint8Array.from(
    Array.from({ length: 10_000 }, (_, number) => String(number).padStart(4, '0')).join(''),
    (digit) => digit.charCodeAt(0),
  ).buffer,
)

/** The factor that splits a double into halves of 26 bits: Dekker, Numer. Math. 18 (1971), 224. */
const SPLITTER = 2 ** 27 + 1

const FOUR_ZEROS = DIGITS.getUint32(0)

/** The doubles of one entry of `SCALES`, and their bytes. */
const SCALE_WIDTH = 6
const SCALE_BYTES = 8 * SCALE_WIDTH

/**
 * For each binary exponent the power of ten that makes 17 or 18 digits before the point: its
 * exponent, the nearest double, that double in two halves, its error, and half the distance to the
 * next double, scaled.
 */
const SCALES = new DataView(scales().buffer)

const FLOAT = new DataView(new ArrayBuffer(8))

/**
 * Writes a finite number as `String` does, and returns the end of its text.
 *
 * The text is the shortest decimal of the double, and of those the closest: the number times a power
 * of ten, as a sum of two doubles, is compared with multiples of 100, 10 and 1. Numbers on a decision
 * boundary, one in some hundred thousand, go to `String`.
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
  if (!(x >= FAST_MINIMUM && x < FAST_LIMIT)) return writeString(bytes, start, number)
  FLOAT.setFloat64(0, x, true)
  const word = FLOAT.getUint32(4, true)
  // Below a power of two doubles are closer together.
  if ((word & 0xfffff) === 0 && FLOAT.getUint32(0, true) === 0)
    return writeString(bytes, start, number)

  const scale = (word >>> 20) * SCALE_BYTES
  const upper = SCALES.getFloat64(scale + 16, true)
  const lower = SCALES.getFloat64(scale + 24, true)
  const gap = SCALES.getFloat64(scale + 40, true)
  const product = x * SCALES.getFloat64(scale + 8, true)
  const multiple = SPLITTER * x
  const xUpper = multiple - (multiple - x)
  const xLower = x - xUpper
  const error = xUpper * upper - product + xUpper * lower + xLower * upper + xLower * lower
  let high = Math.floor(product * 1e-8)
  const rest = product - high * 1e8 + (error + x * SCALES.getFloat64(scale + 32, true))

  let zeros = 2
  let low = Math.floor(rest * 0.01 + 0.5) * 100
  let distance = Math.abs(low - rest)
  if (distance >= gap - MARGIN) {
    if (distance <= gap + MARGIN) return writeString(bytes, start, number)
    zeros = 1
    low = Math.floor(rest * 0.1 + 0.5) * 10
    distance = Math.abs(low - rest)
    if (distance > gap + MARGIN) {
      zeros = 0
      low = Math.floor(rest + 0.5)
      if (Math.abs(low - rest) > 0.5 - MARGIN) return writeString(bytes, start, number)
    } else if (distance >= gap - MARGIN || distance > 5 - MARGIN)
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
  const before = count - SCALES.getFloat64(scale, true)
  if (before > 0) {
    const end = writeDigits(bytes, view, at + 1, high | 0, low | 0, zeros)
    return placePoint(view, at, before, end)
  }
  if (before > -6) {
    bytes[at] = ZERO
    bytes[at + 1] = POINT
    at += 2
    view.setUint32(at, FOUR_ZEROS)
    bytes[at + 4] = ZERO
    at -= before
    return writeDigits(bytes, view, at, high | 0, low | 0, zeros)
  }
  const end = placePoint(view, at, 1, writeDigits(bytes, view, at + 1, high | 0, low | 0, zeros))
  bytes[end] = SMALL_E
  bytes[end + 1] = MINUS
  return writeInteger(space, end + 2, 1 - before)
}

/** Writes 17 or 18 digits without trailing zeros; `zeros` of them are known to be trailing zeros. */
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
  view.setUint32(at + 1, DIGITS.getUint32(4 * second))
  view.setUint32(at + 5, DIGITS.getUint32(4 * (middle - second * 1e4)))
  view.setUint32(at + 9, DIGITS.getUint32(4 * fourth))
  view.setUint32(at + 13, DIGITS.getUint32(4 * (low - fourth * 1e4)))
  at += 17 - zeros
  while (bytes[at - 1] === ZERO) at--
  return at
}

/** Writes the decimal point: the digits begin at `start + 1`, those before the point move left. */
function placePoint(view: DataView, start: number, before: number, end: number): number {
  const point = start + before
  for (let at = start; at < point; at++) view.setUint8(at, view.getUint8(at + 1))
  // An integer: its trailing zeros are still in the memory.
  if (end <= point + 1) return point
  view.setUint8(point, POINT)
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
  view.setUint32(at, DIGITS.getUint32(4 * (left - upper * 1e4)))
  return at + 4
}

function writeUpper(view: DataView, start: number, number: number): number {
  const upper = (number / 1e4) | 0
  const at = writeFirst(view, start, upper)
  view.setUint32(at, DIGITS.getUint32(4 * (number - upper * 1e4)))
  return at + 4
}

/** Writes up to four digits; the bytes after them are overwritten later. */
function writeFirst(view: DataView, at: number, number: number): number {
  const zeros = number < 100 ? (number < 10 ? 3 : 2) : number < 1000 ? 1 : 0
  view.setUint32(at, DIGITS.getUint32(4 * number) << (8 * zeros))
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
    const multiple = SPLITTER * near
    const upper = multiple - (multiple - near)
    const error = Number(exact - BigInt(near))
    const gap = near * 2 ** (binary - 53)
    table.set([decimal, near, upper, near - upper, error, gap], biased * SCALE_WIDTH)
  }
  return table
}
