import type { RecordQuery } from '../../stores/records.ts'
import { bytesOf, type SqlReader, type TextBytes } from '../engine.ts'
import { daysOf, endOfDay, startOfDay } from '../records/record-days.ts'
import { DAY_RECORDS, toFoundDay, toTimes, type FoundDay } from './open-day.ts'

type DayRow = [day: number, rewrites: number, revision: number, newest: number | null]

/**
 * Reads and checks the open records of the first day in a window, for engines that read several
 * statements from one state of the data. Records from `sealedFrom` on are sealed.
 */
export async function readOpenDay(
  reader: SqlReader,
  { kind, source }: RecordQuery,
  { from, to, sealedFrom }: { from: number; to: number; sealedFrom: number },
): Promise<FoundDay> {
  const found = await reader.row<DayRow>(
    `select day, rewrites, revision, (select max(time) from ${kind}_records as open
        where open.source = days.source
          and open.time between days.day * 86400000 and days.day * 86400000 + 86399999)
      from ${kind}_open_days as days where source = ? and day between ? and ? order by day limit 1`,
    source,
    ...daysOf(from, to),
  )
  if (found === undefined) return { type: 'none' }
  const [day, rewrites, revision, newest] = found
  if (startOfDay(day) > from) return { type: 'gap', to: Math.min(to, startOfDay(day) - 1) }
  if (newest === null) return { type: 'none' }
  const end = Math.min(to, endOfDay(day))
  const { text, times } = await readTimedPage(reader, { kind, source, from, to: end })
  if (text === null) return { type: 'gap', to: end }
  const page = { day, marker: { rewrites, revision }, from, times, text }
  return toFoundDay(page, { to: end, isAll: times.length < DAY_RECORDS, newest, sealedFrom })
}

/** The first open records of a span with their instants, which are checked. */
async function readTimedPage(
  reader: SqlReader,
  { kind, source, from, to }: Pick<RecordQuery, 'kind' | 'source' | 'from' | 'to'>,
): Promise<{ text: Uint8Array | null; times: number[] }> {
  const { dialect } = reader
  const sql = `select ${dialect.joined('record')}, ${dialect.joinedNumbers('time')}
    from (select record, time from ${kind}_records where source = ? and time between ? and ?
      order by time limit ${DAY_RECORDS}) as page`
  const row = await reader.row<[TextBytes, string | null]>(sql, source, from, to)
  const [joined, instants] = row ?? [null, null]
  const text = bytesOf(joined)
  const times = instants === null ? [] : toTimes(instants)
  const last = times.length < DAY_RECORDS ? to : (times.at(-1) ?? to)
  reader.recordChecks.open({ kind, source, from, to: last }, text, times)
  return { text, times }
}
