import type { Condition, Dialect } from '../sql/dialect.ts'
import { anyOf } from '../sql/alarm-lists/conditions.ts'
import type { RecordKind } from '../stores/records.ts'

/** Up to this many values are compared one by one. */
const COMPARED = 4
/** Values up to this one are looked up in an array of bytes, which is made in no time. */
const MARKED = 2 ** 20

/** Four chunks fill a page of 8,192 bytes. */
const CHUNK_BYTES = 2_010

export const dialect: Dialect = {
  isRemote: false,
  isSpread: false,
  joined: (column) => `cast(group_concat(${column}) as blob)`,
  // The order of the primary key. A query within this one would copy each record once more.
  recordsInOrder: (kind, _column, condition) => `${kind}_records where ${condition}`,
  joinedNumbers: (column) => `group_concat(${column})`,
  jsonText: (column, member) => `json_extract(${column}, '$.${member}')`,
  contains: (column) => `instr(${column}, ?) > 0`,
  isOneOf,
  isAmong: (column, values) => isAmong(column, values),
  givenSources: (sources) => ({
    sql: '(select value as source, key as at from json_each(?)) as given',
    values: [JSON.stringify(sources)],
  }),
  matchesNumbers: (column) => `${column} glob ?`,
  contentContains: (template, numbers) => `content_contains(${template}, ${numbers}, ?)`,
  along: (table, index) => `${table} indexed by ${index}`,

  newAlarms: { id: '((select max(id) from alarms) - ?)', reserve: undefined },
  lastId: (table) => `(select max(id) from ${table})`,

  sealedBytes: (kind) =>
    `(select coalesce(cast(group_concat(bytes, '') as blob), x'') from (select bytes
      from ${kind}_sealed_chunks where part_id = ${kind}_sealed_parts.id order by chunk))`,

  insertSealedBytes: (kind, source, parts) => ({
    sql: `insert into ${kind}_sealed_chunks (part_id, chunk, bytes)
        values ((select id from ${kind}_sealed_parts where source = ? and start = ?), ?, ?)`,
    width: 4,
    values: parts.flatMap(({ start, deflated }) =>
      Array.from({ length: Math.ceil(deflated.length / CHUNK_BYTES) }, (_, chunk) => [
        source,
        start,
        chunk,
        deflated.subarray(chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES),
      ]).flat(),
    ),
  }),

  isCorrected,
}

/** By the rows of corrections or by their checksums. */
function isCorrected(kind: RecordKind, part: string): string {
  return `exists (select 1 from ${kind}_records as open where open.source = ?
      and open.time >= ${part}.start and open.time < ${part}.until)
    or coalesce((select last from ${kind}_checksums as sums where sums.source = ${part}.source
      and sums.start < ${part}.until order by sums.start desc limit 1) >= ${part}.start, false)
    or exists (select 1 from ${kind}_last_checksums as tail where tail.source = ${part}.source
      and tail.start < ${part}.until and tail.last >= ${part}.start)`
}

function isOneOf(column: string, values: readonly number[]): Condition {
  if (values.length <= COMPARED)
    return anyOf(...values.map((value) => ({ sql: `${column} = ?`, values: [value] })))
  if (values.every((value) => value > 0 && value <= MARKED)) return isMarked(column, values)
  return isAmong(column, values)
}

const isAmong = (column: string, values: readonly number[]): Condition => ({
  sql: `${column} in (select value from json_each(?))`,
  values: [JSON.stringify(values)],
})

/** A byte for each positive value: a lookup takes the same short time for a match and for none. */
function isMarked(column: string, values: readonly number[]): Condition {
  const marks = new Uint8Array(values.reduce((most, value) => Math.max(most, value), 0))
  for (const value of values) marks[value - 1] = 1
  return { sql: `substr(?, ${column}, 1) = x'01'`, values: [marks] }
}
