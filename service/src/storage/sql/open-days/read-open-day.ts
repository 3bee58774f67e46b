import { endOfDay, daysOf, startOfDay } from '../records/record-days.ts'
import { readOpenPage, pageSql } from '../records/open-records.ts'
import { HOUR_MS } from '../../../domain/time/periods.ts'
import type { RecordKind, RecordQuery } from '../../stores/records.ts'
import type { SqlReader } from '../engine.ts'
import { DAY_RECORDS, hoursSql, type HourOfDay, type OpenDay } from './open-day.ts'

/** The first records of an open day, a gap before them, or nothing that can be kept. */
export type FoundDay =
  { type: 'none' } | { type: 'gap'; to: number } | { type: 'day'; day: OpenDay; next: number }

type DayRow = [day: number, rewrites: number, revision: number, newest: number | null]

/**
 * Reads and checks the open records of the first day in a window, for engines that read several
 * statements from one state of the data. Records from `sealedFrom` on are sealed.
 */
export async function readOpenDay(
  reader: SqlReader,
  query: RecordQuery,
  { from, to, sealedFrom }: { from: number; to: number; sealedFrom: number },
): Promise<FoundDay> {
  const { kind, source } = query
  const found = await reader.row<DayRow>(dayRowSql(kind), source, ...daysOf(from, to))
  if (found === undefined) return { type: 'none' }
  const [day, rewrites, revision, newest] = found
  if (startOfDay(day) > from) return { type: 'gap', to: Math.min(to, startOfDay(day) - 1) }
  if (newest === null) return { type: 'none' }
  const end = Math.min(to, endOfDay(day))
  const where = [source, from, end]
  const page = await readOpenPage(reader, pageSql(reader.dialect, query), where, DAY_RECORDS)
  const { records, count, last } = page
  const isAll = count < DAY_RECORDS
  reader.recordChecks.open({ kind, source, from, to: isAll ? end : last }, records)
  if (records === null) return { type: 'gap', to: end }
  const rows = `(select time, record from ${kind}_records
    where source = ? and time between ? and ? order by time limit ?) as page`
  const hours = await reader.rows<HourOfDay>(hoursSql(rows), ...where, DAY_RECORDS)
  const marker = { rewrites, revision }
  const read = { day, marker, from, newest, text: records, hours }
  return toFoundDay(read, { end, isAll, last, sealedFrom })
}

/** The first day in a window, with its newest instant. */
const dayRowSql = (kind: RecordKind): string =>
  `select day, rewrites, revision, (select max(time) from ${kind}_records as open
      where open.source = days.source
        and open.time between days.day * 86400000 and days.day * 86400000 + 86399999)
    from ${kind}_open_days as days where source = ? and day between ? and ? order by day limit 1`

/** Where a page ends: at the end of its window, or at its last record. */
type PageEnd = { end: number; isAll: boolean; last: number; sealedFrom: number }

/** Of a page that ends within an hour only the hours before. */
export function toFoundDay(
  { hours, text, ...read }: Omit<OpenDay, 'until'>,
  { end, isAll, last, sealedFrom }: PageEnd,
): FoundDay {
  if (isAll) {
    const isNewest = end >= read.newest
    const until = isNewest ? Math.min(sealedFrom, endOfDay(read.day) + 1) : end + 1
    return { type: 'day', day: { ...read, text, hours, until }, next: end + 1 }
  }
  const whole = hours.slice(0, -1)
  const [hour] = whole.at(-1) ?? []
  // An hour with more records than a page is not kept: the caller reads it in pages.
  if (hour === undefined) return { type: 'none' }
  const bytes = whole.reduce((sum, [, own]) => sum + own, 0)
  const until = Math.min(startOfDay(read.day) + (hour + 1) * HOUR_MS, last)
  const day = { ...read, until, text: text.subarray(0, bytes - 1), hours: whole }
  return { type: 'day', day, next: until }
}
