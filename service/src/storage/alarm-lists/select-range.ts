const BUCKETS = 4096

/** So few are simply sorted. */
const FEW = 4096

/**
 * The positions of the numbers that rank from `first` up to `end`, `end` not included, smallest
 * first; equal ones keep their order.
 *
 * Only the buckets in which the wanted ranks lie are looked at again: a page of a million numbers
 * takes a few passes over them, wherever it lies.
 */
export function selectRange(numbers: Float64Array, first: number, end: number): number[] {
  if (first >= end) return []
  let least = Infinity
  let greatest = -Infinity
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at]!
    if (number < least) least = number
    if (number > greatest) greatest = number
  }
  if (least === greatest) return Array.from({ length: end - first }, (_, at) => first + at)
  if (numbers.length <= FEW) return sortPositions(numbers).slice(first, end)

  const buckets = split(numbers, least, greatest)
  const low = buckets.holding(first)
  const high = buckets.holding(end - 1)
  const selectIn = (bucket: number): number[] => {
    const { start, positions, members } = buckets.gather(bucket, bucket)
    const until = Math.min(end - start, positions.length)
    return selectRange(members, Math.max(first - start, 0), until).map((at) => positions[at]!)
  }
  if (low === high) return selectIn(low)
  // The outer buckets may hold far more than is wanted; those between them are wanted whole.
  const between = buckets.gather(low + 1, high - 1)
  return [
    ...selectIn(low),
    ...sortPositions(between.members).map((at) => between.positions[at]!),
    ...selectIn(high),
  ]
}

function sortPositions(numbers: Float64Array): number[] {
  const positions = Array.from(numbers, (_, at) => at)
  return positions.toSorted((one, two) => numbers[one]! - numbers[two]! || one - two)
}

/** The numbers by even steps between the least and the greatest, which are never in one bucket. */
function split(numbers: Float64Array, least: number, greatest: number) {
  const scale = (BUCKETS - 1) / (greatest - least)
  const starts = new Uint32Array(BUCKETS + 1)
  for (let at = 0; at < numbers.length; at++)
    starts[Math.trunc((numbers[at]! - least) * scale) + 1]! += 1
  for (let bucket = 0; bucket < BUCKETS; bucket++) starts[bucket + 1]! += starts[bucket]!

  return {
    /** The bucket in which a rank lies. */
    holding: (rank: number): number => starts.findIndex((start) => start > rank) - 1,

    /** The positions in some buckets, in their order, their numbers and the rank of the first. */
    gather(from: number, to: number) {
      const start = starts[from]!
      const positions = new Uint32Array(starts[to + 1]! - start)
      let next = 0
      for (let at = 0; at < numbers.length; at++) {
        const bucket = Math.trunc((numbers[at]! - least) * scale)
        if (bucket >= from && bucket <= to) positions[next++] = at
      }
      const members = Float64Array.from(positions, (position) => numbers[position]!)
      return { start, positions, members }
    },
  }
}
