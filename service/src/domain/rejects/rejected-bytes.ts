/** Bytes that somebody holds. */
export type HeldBytes = { source: string; bytes: number }

/** So far below its bound a full store is emptied, so that it is not full again at once. */
const LEFT = 0.9

/**
 * How many bytes each of those may keep who have to give some back.
 *
 * Nobody may have more than `each`; where all together have more than `all`, those that have most
 * are brought to the same level.
 */
export function boundBytes(
  held: readonly HeldBytes[],
  { each = Infinity, all = Infinity }: { each?: number | undefined; all?: number | undefined },
): HeldBytes[] {
  const bounded = held.map(({ source, bytes }) => ({
    source,
    bytes: bytes > each ? Math.floor(each * LEFT) : bytes,
  }))
  const sum = bounded.reduce((total, { bytes }) => total + bytes, 0)
  const level = sum > all ? levelOf(bounded, Math.floor(all * LEFT)) : Infinity
  return bounded
    .map(({ source, bytes }) => ({ source, bytes: Math.min(bytes, level) }))
    .filter(({ bytes }, at) => bytes < held[at]!.bytes)
}

/** The level above which all is cut off, so that the rest is no more than a sum. */
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
