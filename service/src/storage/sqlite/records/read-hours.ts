import { crc32 } from 'node:zlib'
import { checkDays } from '../integrity/check-days.ts'
import type { Tuple } from '../../sql/engine.ts'
import type { Reader } from '../connection/reader.ts'
import { daysOf, endOfDay, startOfDay } from './record-days.ts'
import { findPartHeaders, type PartHeader } from '../sealed-days/sealed-parts.ts'
import type { Writer } from '../connection/writer.ts'
import { decodeHours, encodeHours } from '../../sealed-days/hour-codec.ts'
import { mergeSummaries, type HourSummary } from '../../../domain/records/hour-summary.ts'
import { hoursOfRecords } from '../../../domain/records/summarize-hours.ts'
import type { RecordStore, HourQuery, RecordKind } from '../../storage.ts'

/** So many sealed parts are looked up at once. */
const PARTS = 64

/**
 * Reads what records come to by the hour: of sealed days as it was kept with them, of open days
 * as it was kept when it was last asked for, of all else from the records.
 *
 * Every part of the window is read as it stands at one moment.
 */
export class HourReader {
  readonly #reader: Reader
  readonly #writer: Writer
  readonly #readRecords: RecordStore['read']

  constructor(reader: Reader, writer: Writer, readRecords: RecordStore['read']) {
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

  /** Hours in order; one that a part's edge cuts comes in two pieces, one after the other. */
  async *#lists(query: HourQuery): AsyncGenerator<HourSummary[]> {
    let position = query.from
    let isLast = false
    while (!isLast) {
      const from = position
      const { parts, days } = this.#reader.snapshot(() => this.#look(query, from))
      for (const part of parts) {
        yield* this.#openHours(query, days, position, part.start - 1)
        yield* this.#partHours(query, part, Math.max(position, part.start))
        position = part.until
      }
      isLast = parts.length < PARTS
      if (isLast) yield* this.#openHours(query, days, position, query.to)
    }
  }

  /** Sealed parts and open days at one moment: what is not in the one is in the other. */
  #look(query: HourQuery, from: number) {
    const { kind, source } = query
    const parts = findPartHeaders(this.#reader, query, from, PARTS)
    const to = parts.length < PARTS ? query.to : parts.at(-1)!.start
    const days = this.#reader.rows<OpenDay>(openDaysSql(kind), source, ...daysOf(from, to))
    checkDays(this.#reader, { ...query, from, to }, days)
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
    days: readonly OpenDay[],
    from: number,
    to: number,
  ): AsyncGenerator<HourSummary[]> {
    const { item } = query
    for (const [day, revision, kept, crc] of days) {
      if (endOfDay(day) < from || startOfDay(day) > to) continue
      const window = { from: Math.max(from, startOfDay(day)), to: Math.min(to, endOfDay(day)) }
      const isWhole = window.from === startOfDay(day) && window.to === endOfDay(day)
      if (!isWhole) {
        yield* this.#summedUp({ ...query, ...window })
        continue
      }
      if (kept !== null && hoursCrc(query.source, day, revision, kept) === crc) {
        yield decodeHours(kept, item)
        continue
      }
      const { item: _, ...all } = query
      const hours = await Array.fromAsync(hoursOfRecords(this.#readRecords, { ...all, ...window }))
      this.#keep(query, day, revision, encodeHours(hours))
      yield item === undefined ? hours : hours.flatMap((hour) => only(hour, item))
    }
  }

  async *#summedUp(query: HourQuery): AsyncGenerator<HourSummary[]> {
    yield await Array.fromAsync(hoursOfRecords(this.#readRecords, query))
  }

  /** For the next time; when it cannot be kept, it is summed up again. */
  #keep({ kind, source }: HourQuery, day: number, revision: number, hours: Uint8Array): void {
    const sql = `insert into ${kind}_open_hours (source, day, revision, hours, crc) select ?, ?, ?, ?, ?
      where exists (select 1 from ${kind}_open_days where source = ? and day = ? and revision = ?)
      on conflict (source, day) do update set revision = excluded.revision, hours = excluded.hours,
        crc = excluded.crc`
    const crc = hoursCrc(source, day, revision, hours)
    const values = [source, day, revision, hours, crc, source, day, revision]
    this.#writer.write([{ sql, width: 8, values }]).catch(() => undefined)
  }
}

/** A day that holds open records, how often it was written to, and what was kept of it since. */
type OpenDay = [
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
