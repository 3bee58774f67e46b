import { crc32 } from 'node:zlib'
import type { Tuple } from '../engine.ts'
import type { SqlReader } from '../engine.ts'
import { daysOf, endOfDay, startOfDay } from './record-days.ts'
import { findPartHeaders, type PartHeader } from '../sealed-days/sealed-parts.ts'
import type { SqlWriter } from '../engine.ts'
import { decodeHours, encodeHours } from '../../sealed-days/hour-codec.ts'
import { mergeSummaries, type HourSummary } from '../../../domain/records/hour-summary.ts'
import { hoursOfRecords } from '../../../domain/records/summarize-hours.ts'
import type { HourQuery, RecordKind, RecordStore } from '../../stores/records.ts'

/** The number of sealed parts that are looked up at once. */
const PARTS = 64

/**
 * Reads hour summaries: of sealed days those that are stored with them, of open days those that an
 * earlier read has cached, of all others from the records.
 *
 * Each portion of the window is read from one state of the data.
 */
export class HourReader {
  readonly #reader: SqlReader
  readonly #writer: SqlWriter
  readonly #readRecords: RecordStore['read']

  constructor(reader: SqlReader, writer: SqlWriter, readRecords: RecordStore['read']) {
    this.#reader = reader
    this.#writer = writer
    this.#readRecords = readRecords
  }

  async *read(query: HourQuery): AsyncGenerator<HourSummary> {
    let last: HourSummary | undefined
    for await (const hours of this.#lists(query))
      for (const hour of hours) {
        if (last?.start === hour.start) last = mergeSummaries(last, hour)
        else {
          if (last !== undefined) yield last
          last = hour
        }
      }
    if (last !== undefined) yield last
  }

  /** Yields hours in order; an hour that lies in two parts comes twice in a row. */
  async *#lists(query: HourQuery): AsyncGenerator<HourSummary[]> {
    let position = query.from
    let isLast = false
    while (!isLast) {
      const from = position
      const { parts, days } = await this.#reader.snapshot((one) => this.#find(one, query, from))
      for (const part of parts) {
        yield* this.#openHours(query, days, position, part.start - 1)
        yield* this.#partHours(query, part, Math.max(position, part.start))
        position = part.until
      }
      isLast = parts.length < PARTS
      if (isLast) yield* this.#openHours(query, days, position, query.to)
    }
  }

  /** Sealed parts and open days of one state: a record is in either of them. */
  async #find(reader: SqlReader, query: HourQuery, from: number) {
    const { kind, source } = query
    const parts = await findPartHeaders(reader, query, from, PARTS)
    const to = parts.length < PARTS ? query.to : (parts.at(-1)?.start ?? query.to)
    const days = await reader.rows<OpenDayRow>(openDaysSql(kind), source, ...daysOf(from, to))
    reader.recordChecks.days({ ...query, from, to }, days)
    return { parts, days }
  }

  async *#partHours(
    query: HourQuery,
    part: PartHeader,
    from: number,
  ): AsyncGenerator<HourSummary[]> {
    const isWhole = !part.isCorrected && from <= part.first && part.last <= query.to
    if (isWhole) yield decodeHours(part.hours, query.item)
    else yield* this.#summedUp({ ...query, from, to: Math.min(query.to, part.until - 1) })
  }

  async *#openHours(
    query: HourQuery,
    days: readonly OpenDayRow[],
    from: number,
    to: number,
  ): AsyncGenerator<HourSummary[]> {
    const { item } = query
    for (const [day, revision, cached, crc] of days) {
      if (endOfDay(day) < from || startOfDay(day) > to) continue
      const window = { from: Math.max(from, startOfDay(day)), to: Math.min(to, endOfDay(day)) }
      const isWhole = window.from === startOfDay(day) && window.to === endOfDay(day)
      if (!isWhole) {
        yield* this.#summedUp({ ...query, ...window })
        continue
      }
      if (cached !== null && hoursCrc(query.source, day, revision, cached) === crc) {
        yield decodeHours(cached, item)
        continue
      }
      const { item: _, ...all } = query
      const hours = await Array.fromAsync(hoursOfRecords(this.#readRecords, { ...all, ...window }))
      this.#cache(query, day, revision, encodeHours(hours))
      yield item === undefined ? hours : hours.flatMap((hour) => only(hour, item))
    }
  }

  async *#summedUp(query: HourQuery): AsyncGenerator<HourSummary[]> {
    yield await Array.fromAsync(hoursOfRecords(this.#readRecords, query))
  }

  /** Stores the hours of an open day for the next read; a failure is ignored. */
  #cache({ kind, source }: HourQuery, day: number, revision: number, hours: Uint8Array): void {
    const sql = `insert into ${kind}_open_hours (source, day, revision, hours, crc) select ?, ?, ?, ?, ?
      where exists (select 1 from ${kind}_open_days where source = ? and day = ? and revision = ?)
      on conflict (source, day) do update set revision = excluded.revision, hours = excluded.hours,
        crc = excluded.crc`
    const crc = hoursCrc(source, day, revision, hours)
    const values = [source, day, revision, hours, crc, source, day, revision]
    this.#writer.write([{ sql, width: 8, values }]).catch(() => undefined)
  }
}

/** A day with open records, its revision, and the hours that were cached of this revision. */
type OpenDayRow = [
  ...Tuple<'theme_open_days', ['day', 'revision']>,
  ...Nullable<Tuple<'theme_open_hours', ['hours', 'crc']>>,
]

type Nullable<Row extends unknown[]> = { [At in keyof Row]: Row[At] | null }

const openDaysSql = (kind: RecordKind): string =>
  `select days.day, days.revision, kept.hours, kept.crc
    from ${kind}_open_days as days left join ${kind}_open_hours as kept
      on kept.source = days.source and kept.day = days.day and kept.revision = days.revision
    where days.source = ? and days.day between ? and ? order by days.day`

const hoursCrc = (source: number, day: number, revision: number, hours: Uint8Array): number =>
  crc32(hours, crc32(`${source} ${day} ${revision}`))

function only({ start, items }: HourSummary, key: string): HourSummary[] {
  const item = items.get(key)
  return item === undefined ? [] : [{ start, items: new Map([[key, item]]) }]
}
