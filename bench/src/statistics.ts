/** The middle one of some numbers; of an even count the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2
}

/** The median of the ratios of two series, round by round, with the least and the greatest. */
export function ratio(of: readonly number[], to: readonly number[]): Ratio {
  const ratios = of.map((value, round) => value / (to[round] ?? NaN))
  return { median: median(ratios), least: Math.min(...ratios), greatest: Math.max(...ratios) }
}

export type Ratio = { median: number; least: number; greatest: number }

/** The same numbers on every run, from 0 up to 1. */
export function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}
