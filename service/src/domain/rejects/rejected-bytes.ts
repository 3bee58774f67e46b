/** The bytes of rejects that a source holds. */
export type HeldBytes = { source: string; bytes: number }

/** A full store is emptied to this part of its limit, so that it is not full again at once. */
const KEPT_PART = 0.9

/**
 * Returns the sources that must be reduced, with the bytes that each may keep.
 *
 * No source may hold more than `each`. If all sources hold more than `all`, the largest ones are
 * reduced to the same level.
 */
export function boundBytes(
  held: readonly HeldBytes[],
  { each = Infinity, all = Infinity }: { each?: number | undefined; all?: number | undefined },
): HeldBytes[] {
  const bounded = held.map(({ source, bytes: before }) => {
    return { source, before, bytes: before > each ? Math.floor(each * KEPT_PART) : before }
  })
  const sum = bounded.reduce((total, { bytes }) => total + bytes, 0)
  const level = sum > all ? levelOf(bounded, Math.floor(all * KEPT_PART)) : Infinity
  return bounded
    .map((one) => ({ ...one, bytes: Math.min(one.bytes, level) }))
    .filter(({ before, bytes }) => bytes < before)
    .map(({ source, bytes }) => ({ source, bytes }))
}

/** The largest number of bytes a source may keep so that all keep at most `sum`. */
function levelOf(held: readonly HeldBytes[], sum: number): number {
  const sizes = held.map(({ bytes }) => bytes).toSorted((a, b) => a - b)
  let left = sum
  for (const [at, size] of sizes.entries()) {
    const share = Math.floor(left / (sizes.length - at))
    if (size > share) return share
    left -= size
  }
  return Infinity
}
