/**
 * Rounds a derived value to one digit finer than its item's precision: to 2 decimals at 0.1 or
 * 0.5, to 3 at 0.25, to 1 at 1 or 25, to none at 10.
 *
 * Half is rounded away from zero, by the shortest decimal form of the value: 1.005 is half, although
 * the double is slightly less. The result is never -0. A value that is not finite, and any value at
 * a precision not above 0, is returned as it is.
 */
export function roundToPrecision(value: number, precision: number): number {
  if (value === 0) return 0
  if (!Number.isFinite(value) || !(precision > 0) || precision === Infinity) return value
  const lastPlace = lastPlaceOf(precision)
  const rounded = roundFast(Math.abs(value), lastPlace) ?? roundDigits(Math.abs(value), lastPlace)
  return value < 0 && rounded !== 0 ? -rounded : rounded
}

const POWERS = Array.from({ length: 16 }, (_, exponent) => Number(`1e${exponent}`))

/**
 * Rounds by multiplication where its error has no effect: away from half, and in a range where
 * integer and power of ten are exact, so that the division rounds once. Otherwise undefined.
 */
function roundFast(value: number, lastPlace: number): number | undefined {
  const scale = POWERS[-lastPlace]
  if (scale === undefined) return undefined
  const scaled = value * scale
  const isClear = scaled < 2 ** 30 && Math.abs((scaled % 1) - 0.5) > 1e-6
  return isClear ? Math.round(scaled) / scale : undefined
}

function roundDigits(value: number, lastPlace: number): number {
  const { digits, exponent } = decimal(value)
  const kept = exponent - lastPlace + 1
  if (kept >= digits.length) return value
  if (kept < 0) return 0

  const head = BigInt(digits.slice(0, kept)) + (digits.charAt(kept) >= '5' ? 1n : 0n)
  return Number(`${head}e${lastPlace}`)
}

const lastPlaces = new Map<number, number>()

/** The exponent of ten of one digit finer than a precision. */
function lastPlaceOf(precision: number): number {
  const cached = lastPlaces.get(precision)
  if (cached !== undefined) return cached
  const { digits, exponent } = decimal(precision)
  const lastPlace = exponent - digits.length
  // A catalogue has few precisions; the limit bounds the memory for other callers.
  if (lastPlaces.size < 1000) lastPlaces.set(precision, lastPlace)
  return lastPlace
}

/** The shortest decimal digits of a positive number; the first one has the value 10^exponent. */
function decimal(value: number): { digits: string; exponent: number } {
  const [mantissa = '', exponent] = value.toExponential().split('e')
  return { digits: mantissa.replace('.', ''), exponent: Number(exponent) }
}
