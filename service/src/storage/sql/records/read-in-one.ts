import type { RecordQuery } from '../../stores/records.ts'
import { bytesOf, type SqlReader, type TextBytes } from '../engine.ts'
import {
  deflatedColumns,
  toCheckedPart,
  type DeflatedRow,
  type DeflatedPart,
} from '../sealed-days/sealed-parts.ts'
import { PAGE_RECORDS } from './read-steps.ts'

/** What lies at an instant: a sealed part that covers it, or the first open records from there on. */
export type FoundStep = {
  part: DeflatedPart | undefined
  /** Nothing where a part covers the instant. */
  records: Uint8Array | null
  /** The next instant after these records and after the gap behind them. */
  next: number
}

type FoundRow = [...DeflatedRow, TextBytes, number, number | null]

/**
 * Finds what lies at an instant by one statement, which reads one state of the data: an engine on the
 * other side of a network would answer one after the other for a snapshot.
 */
export async function findInOne(
  reader: SqlReader,
  { kind, source, to }: RecordQuery,
  position: number,
): Promise<FoundStep> {
  const { dialect } = reader
  const sql = `with part as (
      select ${deflatedColumns(dialect, kind)} from ${kind}_sealed_parts
        where source = ? and until > ? order by until limit 1),
    page as (select record, time from ${kind}_records
      where source = ? and time between ? and ?
        and time < coalesce((select part.start from part), time + 1)
        and not exists (select 1 from part where part.start <= ?)
      order by time limit ${PAGE_RECORDS})
    select part.*, joined.* from (select ${dialect.joined('record')}, count(*), max(time)
      from page) as joined left join part on true`
  const values = [position, source, source, position, source, position, to, position]
  const row = await reader.row<FoundRow>(sql, ...values)
  if (row === undefined) throw new Error('an aggregate has no row')
  const [id, start, until, first, last, length, crc, deflatedCrc, bounds, bytes, ...rest] = row
  const [isCorrected, text, count, newest] = rest
  const part: DeflatedRow = [
    ...([id, start, until, first, last, length, crc, deflatedCrc, bounds] as const),
    ...([bytes, isCorrected] as const),
  ]
  const found = id === null ? undefined : toCheckedPart({ kind, source }, part)
  const end = found === undefined ? to : Math.min(to, found.start - 1)
  const isAll = count < PAGE_RECORDS
  return {
    part: found !== undefined && found.start <= position ? found : undefined,
    records: bytesOf(text),
    next: (isAll || newest === null ? end : newest) + 1,
  }
}
