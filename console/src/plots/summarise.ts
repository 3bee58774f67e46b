import type { SamplePlot } from './sample-plot.ts'
import type { SampleRange } from './sample-range.ts'

/** Neighbouring samples: the first, the one behind the last, and their extremes. */
export type Part = { from: number; to: number; low: number; high: number }

const MOST_PARTS = 20

/** The samples of a range in at most twenty parts, each of at least one sample. */
export function summarise(plot: SamplePlot, { from, to }: SampleRange): Part[] {
  const [first, last] = [Math.ceil(from), Math.ceil(to)]
  const parts = Math.min(MOST_PARTS, last - first)
  return Array.from({ length: Math.max(0, parts) }, (_, at) => {
    const start = first + Math.floor(((last - first) * at) / parts)
    const end = first + Math.floor(((last - first) * (at + 1)) / parts)
    return { from: start, to: end, ...plot.extremes(start, end) }
  })
}
