import type { GroupValue } from './group-value.ts'

/** A station of an inclinometer group, and the displacement of its own segment. */
export type Segment = { name: string; depth: number | undefined; value: number | undefined }

/**
 * The displacement of each station against the fixed end, in the order of the segments: the sum of
 * the segments from the fixed end up to its own, as in J. Dunnicliff, Geotechnical Instrumentation
 * for Monitoring Field Performance, 1988, inclinometers.
 *
 * A segment without a value leaves itself and all beyond it without a sum.
 */
export function sumSegments(
  segments: readonly Segment[],
  fixedEnd: 'bottom' | 'top',
): GroupValue[] {
  const lost = segments.find(({ depth }) => depth === undefined || !Number.isFinite(depth))
  if (lost !== undefined) {
    return segments.map(() => ({ absent: `${lost.name} has no depth, and no sum has an order` }))
  }
  const order = [...segments.keys()].toSorted((a, b) => segments[a]!.depth! - segments[b]!.depth!)
  if (fixedEnd === 'bottom') order.reverse()

  const sums: GroupValue[] = []
  let sum = 0
  let absent: string | undefined
  for (const index of order) {
    const { name, depth, value } = segments[index]!
    sum += value ?? NaN
    absent ??= Number.isFinite(sum) ? undefined : `${name} at depth ${depth} has no value to sum`
    sums[index] = absent === undefined ? { value: sum } : { absent }
  }
  return sums
}
