import type { RecordQuery } from '../../stores/records.ts'
import { bytesOf, type SqlReader, type TextBytes } from '../engine.ts'
import {
  deflatedColumns,
  toCheckedPart,
  type DeflatedPart,
  type DeflatedRow,
} from '../sealed-days/sealed-parts.ts'
import { daysOf, endOfDay, startOfDay } from '../records/record-days.ts'
import { DAY_RECORDS, toFoundDay, toTimes, type FoundDay } from './open-day.ts'

/** What lies at an instant: a sealed part that covers it, or else the first open day. */
export type DayStep = { type: 'part'; part: DeflatedPart } | FoundDay

type FoundRow = [...DeflatedRow, text: TextBytes, times: string | null, day: string | null]

/**
 * Finds what lies at an instant by one statement, which reads one state of the data, as `findInOne`
 * does; no further than the first open day.
 */
export async function findDayInOne(
  reader: SqlReader,
  { kind, source, to }: RecordQuery,
  position: number,
): Promise<DayStep> {
  const { dialect } = reader
  const sql = `with part as (
      select ${deflatedColumns(dialect, kind)} from ${kind}_sealed_parts
        where source = ? and until > ? order by until limit 1),
    day as (select day, rewrites, revision from ${kind}_open_days
      where source = ? and day >= ? order by day limit 1),
    page as (select record, time from ${kind}_records
      where source = ? and time between ? and ?
        and time < coalesce((select part.start from part), time + 1)
        and time < coalesce((select (day.day + 1) * 86400000 from day), time + 1)
        and not exists (select 1 from part where part.start <= ?)
      order by time limit ${DAY_RECORDS})
    select part.*, joined.*, (select day || ' ' || rewrites || ' ' || revision || ' ' || coalesce(
          (select max(time) from ${kind}_records where source = ? and time < (day + 1) * 86400000), 0)
          from day)
      from (select ${dialect.joined('record')}, ${dialect.joinedNumbers('time')} from page) as joined
        left join part on true`
  const ofPart = [position, source, source, position]
  const ofDay = [source, ...daysOf(position, position).slice(1)]
  const ofPage = [source, position, to, position]
  const row = await reader.row<FoundRow>(sql, ...ofPart, ...ofDay, ...ofPage, source)
  if (row === undefined) throw new Error('an aggregate has no row')
  const [id, start, until, first, partLast, length, crc, deflatedCrc, bounds, bytes, ...rest] = row
  const [isCorrected, text, joinedTimes, day] = rest
  const part: DeflatedRow = [
    ...([id, start, until, first, partLast, length, crc, deflatedCrc, bounds] as const),
    ...([bytes, isCorrected] as const),
  ]
  const found = id === null ? undefined : toCheckedPart({ kind, source }, part)
  if (found !== undefined && found.start <= position) return { type: 'part', part: found }
  const end = found === undefined ? to : Math.min(to, found.start - 1)
  if (day === null) return { type: 'gap', to: end }
  const [own = 0, rewrites = 0, revision = 0, newest = 0] = day.split(' ').map(Number)
  const endOfOwn = Math.min(end, endOfDay(own))
  const records = bytesOf(text)
  if (records === null || joinedTimes === null) return { type: 'gap', to: endOfOwn }
  const times = toTimes(joinedTimes)
  const page = {
    day: own,
    marker: { rewrites, revision },
    from: Math.max(position, startOfDay(own)),
    times,
    text: records,
  }
  const isAll = times.length < DAY_RECORDS
  return toFoundDay(page, { to: endOfOwn, isAll, newest, sealedFrom: found?.start ?? Infinity })
}
