import type { GroupValue } from './group-value.ts'

/** A station of an inclinometer group, and the displacement of its own segment. */
export type Segment = { name: string; depth: number | undefined; value: number | undefined }

/**
 * Returns the displacement of each station against the fixed end, in the order of the segments: the
 * sum of the segments from the fixed end to its own, as in J. Dunnicliff, Geotechnical
 * Instrumentation for Monitoring Field Performance, 1988, inclinometers.
 *
 * A segment without a value and all segments beyond it have no sum.
 */
export function sumSegments(
  segments: readonly Segment[],
  fixedEnd: 'bottom' | 'top',
): GroupValue[] {
  const placed = segments.map(({ depth = NaN, ...segment }, index) => ({
    ...segment,
    depth,
    index,
  }))
  const withoutDepth = placed.find(({ depth }) => !Number.isFinite(depth))
  if (withoutDepth !== undefined) {
    const absent = `${withoutDepth.name} has no depth, and no sum has an order`
    return segments.map(() => ({ absent }))
  }
  placed.sort((a, b) => a.depth - b.depth)
  if (fixedEnd === 'bottom') placed.reverse()

  const sums: GroupValue[] = []
  let sum = 0
  let absent: string | undefined
  for (const { name, depth, value, index } of placed) {
    sum += value ?? NaN
    absent ??= Number.isFinite(sum) ? undefined : `${name} at depth ${depth} has no value to sum`
    sums[index] = absent === undefined ? { value: sum } : { absent }
  }
  return sums
}
