import type { Reader } from './reader.ts'
import type { Writer } from './writer.ts'
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
      const statements = [recordInsert('theme', theme), recordInsert('raw', raw)]
      const outcomes = await writer.write(statements.filter((one) => one !== undefined))
      const of = (wanted: Statement | undefined) =>
        wanted === undefined ? { replaced: 0 } : { replaced: outcomes.shift()?.otherwise ?? 0 }
      return { theme: of(statements[0]), raw: of(statements[1]) }
    },

    async *read(query) {
      const { source, newest } = query
      let { from, to } = query
      let left = newest ?? Infinity
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
    },
  }
}

/** One row: the records joined by commas, how many there are, and the last one's instant. */
function pageSql({ kind, shape, newest }: RecordQuery): string {
  const { order, last } = DIRECTIONS[newest === undefined ? 'ascending' : 'newestFirst']
  return `select cast(group_concat(${SHAPES[shape]}) as blob), count(*), ${last}(time)
    from (select record, time from ${kind}_records
      where source = ? and time between ? and ? order by time ${order} limit ?)`
}

/** Tries to insert first: nearly every record is new, and whoever is not was there before. */
export function recordInsert(
  kind: RecordKind,
  rows: RecordRows | undefined,
): Statement | undefined {
  if (rows === undefined || rows.times.length === 0) return undefined
  return {
    sql: `insert into ${kind}_records (source, time, record) values (?, ?, ?)
          on conflict (source, time) do nothing`,
    otherwise: `insert into ${kind}_records (source, time, record) values (?, ?, ?)
          on conflict (source, time) do update set record = excluded.record`,
    width: 3,
    values: rows.times.flatMap((time, at) => [rows.sources[at], time, rows.records[at]]),
  }
}
