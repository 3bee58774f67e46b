import type { Points } from './chart-data.ts'

/** Values between two breaks of a line, from the lowest to the highest. */
export type Run = { time: number; low: number; high: number }

/**
 * The runs of a line that are narrower than `least` pixels, at their middle: a line between two breaks
 * that are nearer than its own width is not seen.
 */
export function shortRuns(
  { times, low, mean, high }: Points,
  pixelOf: (time: number) => number,
  least: number,
): Run[] {
  const found: Run[] = []
  for (let from = 0; from < times.length;) {
    let to = from
    while (to < times.length && mean[to] !== null) to++
    if (to > from) {
      const [first, last] = [times[from]!, times[to - 1]!]
      if (pixelOf(last) - pixelOf(first) < least) {
        const run: Run = { time: (first + last) / 2, low: Infinity, high: -Infinity }
        for (let at = from; at < to; at++) {
          run.low = Math.min(run.low, low[at] ?? mean[at]!)
          run.high = Math.max(run.high, high[at] ?? mean[at]!)
        }
        found.push(run)
      }
    }
    from = to + 1
  }
  return found
}
