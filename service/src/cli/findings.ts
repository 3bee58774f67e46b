import { DAY_MS } from '../domain/time/wall-clock.ts'

/** The station or sensor whose data is damaged. */
export type FoundSource = { kind: 'station' | 'sensor'; id: string | number; name: string }

/** Damage of a station or sensor on a local day, or of another part of the database. */
export type Finding = { source?: FoundSource; day?: string; damage: string }

/** Ranges of days in one line. */
const RANGES_MAXIMUM = 8

/**
 * A line for each station or sensor and each damage of it, with its days:
 * `Station 2001 "W-01", 2025-10-26 to 2025-10-28: its header is damaged`.
 */
export function formatFindings(findings: readonly Finding[]): string[] {
  const bySource = Map.groupBy(findings, ({ source }) => nameSource(source))
  return Array.from(bySource, ([name, ofSource]) => {
    const byDamage = Map.groupBy(ofSource, ({ damage }) => damage)
    return Array.from(byDamage, ([damage, same]) => {
      const days = same.flatMap(({ day }) => day ?? [])
      const place = [name, ...showDays(days)].filter((part) => part !== '').join(', ')
      return place === '' ? damage : `${place}: ${damage}`
    })
  }).flat()
}

/** The number of places: each day of a station or sensor is one. */
export const countPlaces = (findings: readonly Finding[]): number =>
  new Set(
    findings.map(({ source, day, damage }) =>
      JSON.stringify([nameSource(source), source === undefined ? damage : day]),
    ),
  ).size

const nameSource = (source: FoundSource | undefined): string =>
  source === undefined
    ? ''
    : `${source.kind === 'station' ? 'Station' : 'Sensor'} ${source.id} "${source.name}"`

/** Days in order: `2026-03-01`, `2026-03-03 to 2026-03-05`. */
function showDays(days: readonly string[]): string[] {
  const ranges: { first: string; last: string; count: number }[] = []
  for (const day of [...new Set(days)].toSorted()) {
    const range = ranges.at(-1)
    if (range !== undefined && isNext(range.last, day)) {
      range.last = day
      range.count++
    } else ranges.push({ first: day, last: day, count: 1 })
  }
  const left = ranges.slice(RANGES_MAXIMUM).reduce((sum, { count }) => sum + count, 0)
  const shown = ranges
    .slice(0, RANGES_MAXIMUM)
    .map(({ first, last }) => (first === last ? first : `${first} to ${last}`))
  return left === 0 ? shown : [...shown, `and ${left} more days`]
}

const isNext = (day: string, next: string): boolean =>
  Date.parse(`${next}T00:00:00Z`) - Date.parse(`${day}T00:00:00Z`) === DAY_MS
