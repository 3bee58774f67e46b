/** The samples that a plot shows, in places of samples; both may lie between two samples. */
export type SampleRange = { from: number; to: number }

/** No plot shows less. */
const LEAST_SAMPLES = 8

/** A range of which `anchor` (0 to 1) stays where it is, `factor` times as long. */
export function zoom(
  range: SampleRange,
  factor: number,
  anchor: number,
  count: number,
): SampleRange {
  const length = range.to - range.from
  const next = Math.min(count, Math.max(Math.min(LEAST_SAMPLES, count), length * factor))
  const from = range.from + (length - next) * anchor
  return within({ from, to: from + next }, count)
}

/** A range that is moved by samples. */
export const pan = ({ from, to }: SampleRange, by: number, count: number): SampleRange =>
  within({ from: from + by, to: to + by }, count)

/** The nearest range of the same length that has samples only. */
function within({ from, to }: SampleRange, count: number): SampleRange {
  const length = Math.min(count, to - from)
  const start = Math.min(Math.max(0, from), count - length)
  return { from: start, to: start + length }
}
