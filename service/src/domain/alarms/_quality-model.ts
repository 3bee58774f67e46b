import { QUALITY_CLASSES, type Quality, type QualityClass } from '../quality/quality.ts'

/** One value of an item, or none, in the order in which they come; times are in hours. */
export type ValueArrival = { hour: number; value: number | null }

export type JudgedBy = {
  range: { low: number; high: number; quality: QualityClass }
  spike: { deviation: number; records: 3 | 5; quality: 'bad' | 'uncertain' }
  /** Without an epsilon. */
  frozen: { hours: number; records: number; quality: QualityClass }
  evaluateUncertain: boolean
}

/** What became of a value: what each rule said, the worst of it, and whether thresholds see it. */
export type Judged = {
  value: number | null
  mark: Quality | undefined
  isOutside: boolean
  isSeen: boolean
}

type Past = ValueArrival & { isForSpike: boolean; isForFrozen: boolean }

/**
 * The quality of each value, computed in another way than the rules do: nothing is kept but what
 * arrived, and each arrival looks back over all that came before it.
 */
export function judgeAll(arrivals: readonly ValueArrival[], rules: JudgedBy): Judged[] {
  const past: Past[] = []
  return arrivals.map(({ hour, value }) => {
    const arrival: Past = { hour, value, isForSpike: false, isForFrozen: false }
    past.push(arrival)
    if (value === null) return { value, mark: undefined, isOutside: false, isSeen: false }

    const found: Quality[] = []
    /** Adds what a rule finds; true if the rules after it do not see the value. */
    const add = (isFound: boolean, quality: QualityClass, reason: string): boolean => {
      if (!isFound || quality === 'good') return false
      found.push({ quality, reason })
      return quality === 'bad' || !rules.evaluateUncertain
    }
    const { range, spike, frozen } = rules
    const isOutside = value < range.low || value > range.high
    let isHidden = add(isOutside, range.quality, 'outOfRange')
    if (!isHidden) {
      arrival.isForSpike = true
      const isSpike = isSpikeIn(onTime(past.filter((one) => one.isForSpike)), arrival, spike)
      isHidden = add(isSpike, spike.quality, 'spike')
    }
    if (!isHidden) {
      arrival.isForFrozen = true
      const isFrozen = isFrozenIn(onTime(past.filter((one) => one.isForFrozen)), arrival, frozen)
      isHidden = add(isFrozen, frozen.quality, 'frozen')
    }
    const worstFirst = found.toSorted((a, b) => rank(b) - rank(a))
    return { value, mark: worstFirst[0], isOutside, isSeen: !isHidden }
  })
}

const rank = ({ quality }: Quality): number => QUALITY_CLASSES.indexOf(quality)

/** Those that were not late when they came. */
const onTime = (arrivals: readonly Past[]): Past[] =>
  arrivals.filter(({ hour }, index) => arrivals.slice(0, index).every((one) => one.hour <= hour))

/** Whether the arrival, the last one unless it is late, is far from the median. */
function isSpikeIn(
  arrivals: readonly Past[],
  arrival: Past,
  { deviation, records }: JudgedBy['spike'],
): boolean {
  if (arrivals.at(-1) !== arrival) return false
  const byHour = new Map(arrivals.map(({ hour, value }) => [hour, value ?? 0]))
  const newest = [...byHour.values()].slice(-records)
  if (newest.length < records) return false
  const own = arrival.value ?? 0
  // A value of which most of the others are too far away on one side.
  const above = newest.filter((one) => one > own + deviation).length
  const below = newest.filter((one) => one < own - deviation).length
  return Math.max(above, below) > records / 2
}

/** Whether the arrival ends a row of equal values that is long enough, without a gap as long. */
function isFrozenIn(
  arrivals: readonly Past[],
  arrival: Past,
  { hours, records }: JudgedBy['frozen'],
): boolean {
  if (arrivals.at(-1) !== arrival) return false
  const start = arrivals.findLastIndex(({ hour, value }, index) => {
    const before = arrivals[index - 1]
    return before === undefined || before.value !== value || hour - before.hour >= hours
  })
  const row = arrivals.slice(start).map(({ hour }) => hour)
  return new Set(row).size >= records && arrival.hour - (row[0] ?? 0) >= hours
}
