/** Fewer distances than this say nothing about the interval of a source. */
const FEWEST = 2

/** The instants of a sealed day or a part of one: how many, the first and the last. */
export type SealedSpan = Readonly<{ count: number; first: number; last: number }>

/**
 * The usual distance of a source's records: the median of the distances of its newest ones, in
 * milliseconds; undefined where there are too few.
 *
 * Of sealed records only first, last and number are known: they count as evenly spread.
 */
export function usualInterval(
  open: readonly number[],
  sealed: readonly SealedSpan[],
  most: number,
): number | undefined {
  const distances: number[] = []
  let later: number | undefined
  for (const time of open.toSorted(descending)) {
    if (later !== undefined) distances.push(later - time)
    later = time
  }
  for (const { count, first, last } of sealed.toSorted((one, other) => other.last - one.last)) {
    if (distances.length >= most) break
    if (later !== undefined && later > last) distances.push(later - last)
    const within = Math.min(count - 1, most - distances.length)
    for (let at = 0; at < within; at++) distances.push((last - first) / (count - 1))
    later = first
  }
  return distances.length < FEWEST ? undefined : median(distances.slice(0, most))
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

const descending = (one: number, other: number): number => other - one
