/** Round numbers from `low` to `high`, at steps of 1, 2 or 5 times a power of ten; at most `most`. */
export function ticks(low: number, high: number, most: number): number[] {
  const step = roundStep((high - low) / Math.max(1, most - 1))
  if (!(step > 0) || !Number.isFinite(step)) return []
  const first = Math.ceil(low / step)
  const count = Math.floor(high / step) - first + 1
  return Array.from({ length: Math.max(0, count) }, (_, at) => clean((first + at) * step, step))
}

/** The lowest of 1, 2, 5 times a power of ten that is not below a number. */
export function roundStep(least: number): number {
  if (!(least > 0)) return NaN
  const power = 10 ** Math.floor(Math.log10(least))
  const factor = [1, 2, 5, 10].find((one) => one * power >= least * (1 - 1e-9)) ?? 10
  return factor * power
}

/** Decimals that tell numbers at a step apart. */
export const decimalsOf = (step: number): number =>
  Math.min(12, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)))

/** Decimals with which all of some round numbers are written, up to 12. */
export const sharedDecimals = (values: readonly number[]): number =>
  Math.max(
    0,
    ...values.map(
      (value) =>
        value
          .toFixed(12)
          .replace(/\.?0+$/, '')
          .split('.')[1]?.length ?? 0,
    ),
  )

const clean = (value: number, step: number): number => Number(value.toFixed(decimalsOf(step)))
