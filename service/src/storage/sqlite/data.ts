import type { Reader } from './reader.ts'
import { dayCounts, daysOf, daysSql, planSpans, type DayCount } from './record-days.ts'
import type { Writer } from './writer.ts'
import { hoursOfRecords } from '../hours.ts'
import type { DataStore, RecordKind, RecordQuery, RecordRows } from '../storage.ts'
import type { Statement } from '../sql/engine.ts'
import { TIME_SUFFIX_LENGTH } from '../../domain/record-text.ts'

/** Records of one read: a page is some 150 KB, and its transaction takes some 0.2 ms. */
const PAGE_RECORDS = 2_000

const SHAPES = {
  flat: 'record',
  nested: `'{"values":' || substr(record, 1, length(record) - ${TIME_SUFFIX_LENGTH})
    || '}' || substr(record, -${TIME_SUFFIX_LENGTH})`,
} as const satisfies Record<RecordQuery['shape'], string>

const DIRECTIONS = {
  ascending: { order: 'asc', last: 'max' },
  newestFirst: { order: 'desc', last: 'min' },
} as const

export function dataStore(reader: Reader, writer: Writer): DataStore {
  return {
    async write({ theme, raw }) {
      const ofTheme = recordInserts('theme', theme)
      const ofRaw = recordInserts('raw', raw)
      const outcomes = await writer.write([...ofTheme, ...ofRaw])
      return {
        theme: { replaced: (ofTheme.length > 0 ? outcomes[0]?.otherwise : 0) ?? 0 },
        raw: { replaced: (ofRaw.length > 0 ? outcomes[ofTheme.length]?.otherwise : 0) ?? 0 },
      }
    },

    async *read(query) {
      const { kind, source, from, to, newest } = query
      if (newest !== undefined) return yield* readPages(query, newest)
      const days = reader.rows<DayCount>(daysSql(kind), source, ...daysOf(from, to))
      for (const span of planSpans(from, to, days, PAGE_RECORDS)) {
        if (span.isDense) {
          yield* readPages({ ...query, ...span }, Infinity)
          continue
        }
        const [records] = reader.row<[Uint8Array | null]>(
          spanSql(query),
          source,
          span.from,
          span.to,
        ) ?? [null]
        if (records !== null) yield records
      }
    },

    readHours(query) {
      return hoursOfRecords((records) => this.read(records), query)
    },
  }

  /** Reads page by page, counting: for the newest so many, and for a day of many records. */
  function* readPages(query: RecordQuery, limit: number): Generator<Uint8Array> {
    const { source, newest } = query
    let { from, to } = query
    let left = limit
    const sql = pageSql(query)
    while (left > 0) {
      const wanted = Math.min(left, PAGE_RECORDS)
      const page = reader.row<[Uint8Array | null, number, number]>(sql, source, from, to, wanted)
      const [records, count, last] = page ?? [null, 0, 0]
      if (records !== null) yield records
      if (count < wanted) return
      left -= count
      if (newest === undefined) from = last + 1
      else to = last - 1
    }
  }
}

/** All records of a window, in the order of the key, which is that of time. */
const spanSql = ({ kind, shape }: RecordQuery): string =>
  `select cast(group_concat(${SHAPES[shape]}) as blob) from ${kind}_records
    where source = ? and time between ? and ?`

/** One row: the records joined by commas, how many there are, and the last one's instant. */
function pageSql({ kind, shape, newest }: RecordQuery): string {
  const { order, last } = DIRECTIONS[newest === undefined ? 'ascending' : 'newestFirst']
  return `select cast(group_concat(${SHAPES[shape]}) as blob), count(*), ${last}(time)
    from (select record, time from ${kind}_records
      where source = ? and time between ? and ? order by time ${order} limit ?)`
}

/** Tries to insert first: nearly every record is new, and whoever is not was there before. */
export function recordInserts(kind: RecordKind, rows: RecordRows | undefined): Statement[] {
  if (rows === undefined || rows.times.length === 0) return []
  const insert = `insert into ${kind}_records (source, time, record) values (?, ?, ?)
    on conflict (source, time)`
  return [
    {
      sql: `${insert} do nothing`,
      otherwise: `${insert} do update set record = excluded.record`,
      width: 3,
      values: rows.times.flatMap((time, at) => [rows.sources[at], time, rows.records[at]]),
    },
    dayCounts(kind, rows),
  ]
}
