const DAY = 86_400_000

/** The number of records of a UTC day, counted in days since 1970. */
export type DayCount = readonly [day: number, count: number]

/** What retention may delete until tomorrow: a number of records, all before an instant. */
export type DailyShare = Readonly<{ records: number; until: number }>

/**
 * Returns a share of all records or the two oldest days with records, whichever is more.
 *
 * The instant is the end of the last UTC day within the share, so that it is the same for all sources.
 */
export function dailyShare(counts: readonly DayCount[], share: number): DailyShare {
  const byDay = new Map<number, number>()
  for (const [day, count] of counts) byDay.set(day, (byDay.get(day) ?? 0) + count)
  const days = [...byDay].filter(([, count]) => count > 0).toSorted(([a], [b]) => a - b)
  const oldest = days.slice(0, 2).reduce((sum, [, count]) => sum + count, 0)
  const total = days.reduce((sum, [, count]) => sum + count, 0)
  const records = Math.max(Math.floor(total * share), oldest)
  let left = records
  let until = -Infinity
  for (const [day, count] of days) {
    if (count > left) break
    left -= count
    until = (day + 1) * DAY
  }
  return { records, until }
}
