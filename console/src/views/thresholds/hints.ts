import { parseIntervals } from '../station/thresholds.ts'
import type { LevelForm } from './draft.ts'
import { intervalsProblem, toPlain } from './problems.ts'

/** A level all of whose values also are those of levels with a lower number. */
export type HiddenLevel = { level: number; by: number[] }

type Interval = { low: number; high: number }
type Level = { level: number; intervals: readonly Interval[] }

/**
 * The levels of a slot that are never raised where 1 is the most severe. What is not typed to its end is
 * left out; ends of intervals count as neither open nor closed.
 */
export function findHiddenLevels(levels: readonly LevelForm[]): HiddenLevel[] {
  const known = levels.filter(
    ({ level, value }) => Number(level) > 0 && intervalsProblem(value) === undefined,
  )
  const read = known.map(({ level, value }): Level => ({
    level: Number(level),
    intervals: parseIntervals(toPlain(value)),
  }))
  return read.flatMap(({ level, intervals }): HiddenLevel[] => {
    const severer = read.filter((other) => other.level < level)
    const covering = severer.filter((other) => other.intervals.some((one) => meets(one, intervals)))
    const union = join(covering.flatMap((other) => [...other.intervals]))
    const isHidden = intervals.every(({ low, high }) =>
      union.some((one) => one.low <= low && one.high >= high),
    )
    if (!isHidden || intervals.length === 0) return []
    return [{ level, by: covering.map((other) => other.level).toSorted((a, b) => a - b) }]
  })
}

const meets = ({ low, high }: Interval, others: readonly Interval[]): boolean =>
  others.some((other) => low < other.high && other.low < high)

/** Intervals that touch as one. */
function join(intervals: readonly Interval[]): Interval[] {
  const joined: Interval[] = []
  for (const { low, high } of intervals.toSorted((a, b) => a.low - b.low)) {
    const last = joined.at(-1)
    if (last !== undefined && low <= last.high) last.high = Math.max(last.high, high)
    else joined.push({ low, high })
  }
  return joined
}
