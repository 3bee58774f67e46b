/**
 * The sample rate in Hz of an interval in seconds that a file rounded.
 *
 * Is the reciprocal, unless exactly one whole number of hertz has an interval that rounds to the
 * written one: `1.52588E-05` is 65,536 Hz. `halfUnit` is half a unit of the last digit kept.
 */
export function rateOfInterval(interval: number, halfUnit: number): number {
  const rate = 1 / interval
  const lowest = Math.ceil(1 / (interval + halfUnit))
  const highest = Math.floor(1 / (interval - halfUnit))
  return Number.isInteger(rate) || lowest !== highest || interval <= halfUnit ? rate : lowest
}

/** The sample rate of an interval in seconds as it was printed, such as `.005` or `1.52588E-05`. */
export function rateOfWritten(text: string): number {
  const [, fraction = '', exponent = '0'] =
    /^\s*[+-]?\d*\.?(\d*)(?:[eEdD]?([+-]\d+|(?<=[eEdD])\d+))?\s*$/.exec(text) ?? []
  const interval = Number(text.trim().replace(/[dD]/, 'e'))
  return rateOfInterval(interval, 0.5 * 10 ** (Number(exponent) - fraction.length))
}

/** The sample rate of an interval in seconds that was kept as a single. */
export function rateOfSingle(interval: number): number {
  const decimal = shortestDecimal(interval)
  const halfUnit = Math.abs(interval) * 2 ** -24
  return rateOfInterval(decimal, halfUnit)
}

/** The shortest decimal number that a single stands for: 0.02 of 0.019999999552965164. */
export function shortestDecimal(single: number): number {
  if (!Number.isFinite(single)) return single
  for (let digits = 1; digits < 9; digits++) {
    const decimal = Number(single.toPrecision(digits))
    if (Math.fround(decimal) === single) return decimal
  }
  return Number(single.toPrecision(9))
}
