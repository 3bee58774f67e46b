const BLANK = 32
const TAB = 9
const PLUS = 43
const MINUS = 45
const POINT = 46
const ZERO = 48
const LETTER_D = 100
const LETTER_E = 101
const LATIN1 = new TextDecoder('latin1')

/** The powers of ten that a double represents exactly. */
const POWERS: readonly number[] = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`))

/** The start of an exponent: `E` or `e`; with `fortran` also `D` or the sign alone. */
type Exponents = 'e' | 'fortran'

/**
 * Parses the decimal number in a range of bytes to the same double as `Number`; NaN for other bytes.
 *
 * Blanks and tabs around the number are ignored. `point` is the code of the decimal sign.
 */
export function parseDecimal(
  bytes: Uint8Array,
  from: number,
  to: number,
  { point = POINT, exponents = 'e' }: { point?: number; exponents?: Exponents } = {},
): number {
  let at = from
  let end = to
  while (at < end && isBlank(bytes[at])) at++
  while (end > at && isBlank(bytes[end - 1])) end--
  const first = at
  const isNegative = bytes[at] === MINUS
  if (at < end && (isNegative || bytes[at] === PLUS)) at++

  let mantissa = 0
  let digits = 0
  for (; at < end; at++) {
    const digit = (bytes[at] ?? 0) - ZERO
    if (digit < 0 || digit > 9) break
    mantissa = mantissa * 10 + digit
    digits++
  }
  let scale = 0
  if (at < end && bytes[at] === point) {
    at++
    const begin = at
    for (; at < end; at++) {
      const digit = (bytes[at] ?? 0) - ZERO
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
  const size = Math.abs(power)
  const factor = size < POWERS.length ? POWERS[size] : undefined
  if (mantissa > Number.MAX_SAFE_INTEGER || factor === undefined) {
    if (Number.isNaN(power)) return NaN
    const digitsText = LATIN1.decode(bytes.subarray(first, mantissaEnd))
    return Number(`${digitsText.replace(String.fromCharCode(point), '.')}e${exponent}`)
  }
  // Both operands are exact, so the result is rounded once, correctly (Clinger 1990).
  const value = power < 0 ? mantissa / factor : mantissa * factor
  return isNegative ? -value : value
}

/** Parses an exponent; NaN for other bytes. */
function parseExponent(bytes: Uint8Array, from: number, end: number, exponents: Exponents): number {
  let at = from
  const isFortran = exponents === 'fortran'
  const letter = (bytes[at] ?? 0) | 0x20
  const hasLetter = letter === LETTER_E || (isFortran && letter === LETTER_D)
  if (hasLetter) at++
  const sign = bytes[at]
  const hasSign = at < end && (sign === PLUS || sign === MINUS)
  if (hasSign) at++
  if ((!hasLetter && !(isFortran && hasSign)) || at >= end) return NaN
  let exponent = 0
  for (; at < end; at++) {
    const digit = (bytes[at] ?? 0) - ZERO
    if (digit < 0 || digit > 9) return NaN
    exponent = Math.min(exponent * 10 + digit, 100_000)
  }
  return sign === MINUS ? -exponent : exponent
}

const isBlank = (byte: number | undefined): boolean => byte === BLANK || byte === TAB
