/**
 * Returns the sample rate in Hz of a rounded interval in seconds.
 *
 * It is the reciprocal, unless exactly one whole rate has an interval that rounds to the given one:
 * `1.52588E-05` is 65,536 Hz. `halfUnit` is half a unit of the interval's last digit.
 */
export function rateOfInterval(interval: number, halfUnit: number): number {
  const rate = 1 / interval
  const lowest = Math.ceil(1 / (interval + halfUnit))
  const highest = Math.floor(1 / (interval - halfUnit))
  return Number.isInteger(rate) || lowest !== highest || interval <= halfUnit ? rate : lowest
}

/** Returns the sample rate of a printed interval in seconds, such as `.005` or `1.52588E-05`. */
export function rateOfWritten(text: string): number {
  const [, fraction = '', exponent = '0'] =
    /^\s*[+-]?\d*\.?(\d*)(?:[eEdD]?([+-]\d+|(?<=[eEdD])\d+))?\s*$/.exec(text) ?? []
  const interval = Number(text.trim().replace(/[dD]/, 'e'))
  return rateOfInterval(interval, 0.5 * 10 ** (Number(exponent) - fraction.length))
}

/** Returns the sample rate of an interval in seconds that is a single-precision number. */
export function rateOfSingle(interval: number): number {
  const decimal = shortestDecimal(interval)
  const halfUnit = Math.abs(interval) * 2 ** -24
  return rateOfInterval(decimal, halfUnit)
}

/** Returns the shortest decimal of a single-precision number: 0.02 for 0.019999999552965164. */
export function shortestDecimal(single: number): number {
  if (!Number.isFinite(single)) return single
  for (let digits = 1; digits < 9; digits++) {
    const decimal = Number(single.toPrecision(digits))
    if (Math.fround(decimal) === single) return decimal
  }
  return Number(single.toPrecision(9))
}
