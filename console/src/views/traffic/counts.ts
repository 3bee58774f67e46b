import type { TrafficCounts } from '@plumbline/client'
import { barOf, barsOf, type Period, type Step } from './period.ts'

export type Grouping = 'class' | 'lane' | 'overload'
export const GROUPINGS: readonly Grouping[] = ['class', 'lane', 'overload']

/** Bars over time, each with a part for each group. */
export type Bars = { groups: readonly string[]; bars: { name: string; parts: number[] }[] }

type Count = TrafficCounts['counts'][number]

/** A class of weights: `< 3.5 t`, `3.5–12 t`, `≥ 49 t`. */
export function className(counts: TrafficCounts, at: number): string {
  const found = counts.classes[at]
  if (found === undefined) return ''
  const { from, below } = found
  if (below === null) return `≥ ${from} ${counts.loadUnit}`
  return from <= 0 ? `< ${below} ${counts.loadUnit}` : `${from}–${below} ${counts.loadUnit}`
}

/** The lanes that have vehicles, in the order of their names. */
export const lanesOf = ({ counts }: TrafficCounts): string[] =>
  [...new Set(counts.map(({ lane }) => lane))].toSorted((a, b) =>
    a.localeCompare(b, 'en', { numeric: true }),
  )

/** Vehicles over time; `overload` names the groups of vehicles that are not and that are overloaded. */
export function toBars(
  counts: TrafficCounts,
  shown: { period: Period; step: Step; grouping: Grouping; overload: [string, string] },
): Bars {
  const { grouping, period, step } = shown
  const lanes = lanesOf(counts)
  const classes = counts.classes.map((_, at) => className(counts, at))
  const groups = { class: classes, lane: lanes, overload: shown.overload }[grouping]
  const bars = barsOf(period, step).map((name) => ({ name, parts: groups.map(() => 0) }))
  const byName = new Map(bars.map((bar) => [bar.name, bar]))
  for (const count of counts.counts) {
    const parts = byName.get(barOf(count.hour, step))?.parts
    if (parts === undefined) continue
    for (const [group, number] of partsOf(count, grouping, lanes)) parts[group]! += number
  }
  return { groups, bars }
}

function partsOf(count: Count, grouping: Grouping, lanes: readonly string[]): [number, number][] {
  if (grouping === 'class') return [[count.class, count.count]]
  if (grouping === 'lane') return [[lanes.indexOf(count.lane), count.count]]
  return [
    [0, count.count - count.overloads],
    [1, count.overloads],
  ]
}

/** A lane with its vehicles by class, the last row being the sum of all. */
export type LaneRow = { lane: string; classes: number[]; total: number; overloads: number }

export function toLanes({ counts, classes }: TrafficCounts): LaneRow[] {
  const rows = new Map<string, LaneRow>()
  for (const { lane, class: at, count, overloads } of counts) {
    const row = rows.get(lane) ?? { lane, classes: classes.map(() => 0), total: 0, overloads: 0 }
    row.classes[at]! += count
    row.total += count
    row.overloads += overloads
    rows.set(lane, row)
  }
  return [...rows.values()].toSorted((a, b) =>
    a.lane.localeCompare(b.lane, 'en', { numeric: true }),
  )
}

/** The hour with the most vehicles. */
export function busiestHour({
  counts,
}: TrafficCounts): { hour: string; count: number } | undefined {
  const byHour = new Map<string, number>()
  for (const { hour, count } of counts) byHour.set(hour, (byHour.get(hour) ?? 0) + count)
  const [first] = [...byHour].toSorted((a, b) => b[1] - a[1])
  return first && { hour: first[0], count: first[1] }
}
