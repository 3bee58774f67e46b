import { DamageError } from '../../../errors/damage-error.ts'
import type { DayMarker, KeptDay } from '../../open-days/kept-day.ts'
import type { RecordQuery } from '../../stores/records.ts'
import { bytesOf, type SqlReader, type TextBytes } from '../engine.ts'
import { endOfDay } from '../records/record-days.ts'
import { DAY_RECORDS, toTimes, type OpenDay } from './open-day.ts'

/** Days of a source that follow each other, of which the last one is kept as `kept`. */
export type KnownDays = {
  kind: RecordQuery['kind']
  source: number
  first: number
  last: number
  kept: KeptDay
  /** The last instant of the window. */
  to: number
}

/** The markers of the days that are open, and what was read after the records of the last one. */
export type Growth = { markers: ReadonlyMap<number, DayMarker>; read?: OpenDay | undefined }

/** Asks for the markers alone: a small statement over one table. */
export async function findMarkers(
  reader: SqlReader,
  { kind, source, first, last }: KnownDays,
): Promise<ReadonlyMap<number, DayMarker>> {
  const rows = await reader.rows<[day: number, rewrites: number, revision: number]>(
    `select day, rewrites, revision from ${kind}_open_days where source = ? and day between ? and ?`,
    source,
    first,
    last,
  )
  return new Map(rows.map(([day, rewrites, revision]) => [day, { rewrites, revision }]))
}

/** Asks for both at once, which reads one state of the data. */
export async function readGrowth(reader: SqlReader, days: KnownDays): Promise<Growth> {
  const growth = await readUnchecked(reader, days)
  if (growth.read === undefined) return growth
  try {
    check(reader, days, growth.read)
    return growth
  } catch (error) {
    if (!(error instanceof DamageError)) throw error
    // A write after the statement, or damage.
    return reader.snapshot(async (one) => {
      const now = await readUnchecked(one, days)
      if (now.read !== undefined) check(one, days, now.read)
      return now
    })
  }
}

function check({ recordChecks }: SqlReader, days: KnownDays, { from, times, text }: OpenDay): void {
  const { kind, source } = days
  const to = times.length < DAY_RECORDS ? spanOf(days)[1] : (times.at(-1) ?? from)
  recordChecks.open({ kind, source, from, to }, times.length === 0 ? null : text, times)
}

async function readUnchecked(reader: SqlReader, days: KnownDays): Promise<Growth> {
  const { dialect } = reader
  const { kind, source, first, last, kept } = days
  const [from, to] = spanOf(days)
  const sql = `with page as (select record, time from ${kind}_records
      where source = ? and time between ? and ? order by time limit ${DAY_RECORDS})
    select ${dialect.joined('record')}, ${dialect.joinedNumbers('time')},
        (select string_agg(day || ' ' || rewrites || ' ' || revision, ',') from ${kind}_open_days
          where source = ? and day between ? and ?),
        (select max(time) from ${kind}_records where source = ? and time between ? and ?)
      from page`
  const row = await reader.row<
    [TextBytes, times: string | null, markers: string | null, newest: number | null]
  >(sql, source, from, to, source, first, last, source, kept.settled, endOfDay(last))
  const [text, times, joined, newest] = row ?? [null, null, null, null]
  const markers = new Map(joined === null ? [] : joined.split(',').map(toMarker))
  const page = { text: bytesOf(text), times: times === null ? [] : toTimes(times) }
  return { markers, read: grown(days, markers, page, newest) }
}

function toMarker(text: string): [day: number, marker: DayMarker] {
  const [day = 0, rewrites = 0, revision = 0] = text.split(' ').map(Number)
  return [day, { rewrites, revision }]
}

const spanOf = ({ kept, to }: KnownDays): [from: number, to: number] => [
  kept.settled,
  Math.min(to, kept.end - 1),
]

type Page = { text: Uint8Array | null; times: number[] }

/** What a page adds to a day that has not been rewritten; nothing where the window ends before. */
function grown(
  { last: day, kept, ...days }: KnownDays,
  markers: ReadonlyMap<number, DayMarker>,
  { text, times }: Page,
  newest: number | null,
): OpenDay | undefined {
  const marker = markers.get(day)
  const [from, to] = spanOf({ last: day, kept, ...days })
  if (marker === undefined || !kept.isValid(marker)) return undefined
  if (to < from || kept.knownUntil(marker) > to) return undefined
  const next = times.length < DAY_RECORDS ? to + 1 : (times.at(-1) ?? to) + 1
  const isNewest = newest === null || newest < next
  const settled = isNewest ? Math.max(from, (newest ?? from - 1) + 1) : next
  const until = isNewest ? kept.end : next
  const { end } = kept
  return { day, marker, from, until, settled, end, times, text: text ?? new Uint8Array(0) }
}
