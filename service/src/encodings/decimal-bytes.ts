const BLANK = 32
const TAB = 9
const PLUS = 43
const MINUS = 45
const POINT = 46
const ZERO = 48
const LETTER_D = 100
const LETTER_E = 101
const LATIN1 = new TextDecoder('latin1')

/** Powers of ten that a double holds exactly. */
const POWERS: readonly number[] = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`))

/** What may stand before an exponent: `E`, or what Fortran prints, `D` or its sign alone, as well. */
type Exponents = 'e' | 'fortran'

/**
 * The number that bytes spell, the same double as `Number` gives; NaN when they spell none.
 *
 * Blanks around it are left out. `point` is the code of the decimal sign.
 */
export function parseDecimal(
  bytes: Uint8Array,
  from: number,
  to: number,
  { point = POINT, exponents = 'e' }: { point?: number; exponents?: Exponents } = {},
): number {
  let at = from
  let end = to
  while (at < end && isBlank(bytes[at]!)) at++
  while (end > at && isBlank(bytes[end - 1]!)) end--
  const first = at
  const isNegative = bytes[at] === MINUS
  if (at < end && (isNegative || bytes[at] === PLUS)) at++

  let mantissa = 0
  let digits = 0
  for (; at < end; at++) {
    const digit = bytes[at]! - ZERO
    if (digit < 0 || digit > 9) break
    mantissa = mantissa * 10 + digit
    digits++
  }
  let scale = 0
  if (at < end && bytes[at] === point) {
    at++
    const begin = at
    for (; at < end; at++) {
      const digit = bytes[at]! - ZERO
      if (digit < 0 || digit > 9) break
      mantissa = mantissa * 10 + digit
    }
    scale = at - begin
    digits += scale
  }
  if (digits === 0) return NaN
  const mantissaEnd = at
  const exponent = at < end ? parseExponent(bytes, at, end, exponents) : 0

  const power = exponent - scale
  if (mantissa > Number.MAX_SAFE_INTEGER || power > 22 || power < -22 || Number.isNaN(power)) {
    if (Number.isNaN(power)) return NaN
    const digitsText = LATIN1.decode(bytes.subarray(first, mantissaEnd))
    return Number(`${digitsText.replace(String.fromCharCode(point), '.')}e${exponent}`)
  }
  // Both operands are exact, so the one rounding is the right one (Clinger 1990).
  const value = power < 0 ? mantissa / POWERS[-power]! : mantissa * POWERS[power]!
  return isNegative ? -value : value
}

/** NaN unless the bytes are an exponent. */
function parseExponent(bytes: Uint8Array, from: number, end: number, exponents: Exponents): number {
  let at = from
  const isFortran = exponents === 'fortran'
  const letter = bytes[at]! | 0x20
  const hasLetter = letter === LETTER_E || (isFortran && letter === LETTER_D)
  if (hasLetter) at++
  const sign = bytes[at]
  const hasSign = at < end && (sign === PLUS || sign === MINUS)
  if (hasSign) at++
  if ((!hasLetter && !(isFortran && hasSign)) || at >= end) return NaN
  let exponent = 0
  for (; at < end; at++) {
    const digit = bytes[at]! - ZERO
    if (digit < 0 || digit > 9) return NaN
    exponent = Math.min(exponent * 10 + digit, 100_000)
  }
  return sign === MINUS ? -exponent : exponent
}

const isBlank = (byte: number): boolean => byte === BLANK || byte === TAB
