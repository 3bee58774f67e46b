import type { DayCount } from '../../../domain/retention/retention-share.ts'
import type { Dialect } from '../dialect.ts'
import type { Statement, Summing } from '../statement.ts'
import type { RecordKind, RecordRows } from '../../stores/records.ts'

const DAY = 86_400_000

/** A portion of a window; a dense one may have more records than are read at once. */
type ReadSpan = { from: number; to: number; isDense: boolean }

/**
 * Adds the records of a write to the counts of their days, replaced ones too, and notes the writer.
 *
 * A write that changes more of a day than what comes after its newest record is counted in `rewrites`:
 * by the instants here, or by the checksums of an engine that has them (`CheckedWrites`).
 */
export function dayCounts(
  { isRemote }: Pick<Dialect, 'isRemote'>,
  kind: RecordKind,
  { sources, times }: RecordRows,
  writer?: number,
): Statement {
  const writes = new Map<number, Map<number, DayWrite>>()
  for (let at = 0; at < times.length;) {
    const source = sources[at]
    const time = times[at]
    if (source === undefined || time === undefined)
      throw new RangeError('the columns of records must be equally long')
    const day = Math.floor(time / DAY)
    const [from, to] = [day * DAY, (day + 1) * DAY]
    const days = writes.getOrInsertComputed(source, () => new Map<number, DayWrite>())
    const write = days.getOrInsertComputed(day, () => ({ count: 0, first: time, last: time }))
    let next: number | undefined = time
    do {
      write.count++
      if (next < write.first) write.first = next
      if (next > write.last) write.last = next
      next = times[++at]
    } while (sources[at] === source && next !== undefined && next >= from && next < to)
  }
  const values: number[] = []
  for (const [source, days] of writes)
    for (const [day, { count, first, last }] of days) {
      const revision = newRevision()
      values.push(source, day, count, revision, revision)
      if (isRemote) values.push(first, last)
      if (writer !== undefined) values.push(writer)
    }
  return { ...dayStatement(kind, isRemote, writer !== undefined), values }
}

/** How many records a write has on a day, with their first and last instant. */
type DayWrite = { count: number; first: number; last: number }

type DayStatement = Omit<Statement, 'values'>

const dayStatements = new Map<string, DayStatement>()

const dayStatement = (kind: RecordKind, isRemote: boolean, hasWriter: boolean): DayStatement =>
  dayStatements.getOrInsertComputed(`${kind} ${isRemote} ${hasWriter}`, () =>
    buildDayStatement(`${kind}_open_days`, { isRemote, hasWriter }),
  )

function buildDayStatement(
  table: string,
  { isRemote, hasWriter }: { isRemote: boolean; hasWriter: boolean },
): DayStatement {
  const columns = [
    'source',
    'day',
    'count',
    'revision',
    'rewrites',
    ...(isRemote ? ['first', 'last'] : []),
    ...(hasWriter ? ['writer'] : []),
  ]
  const updates = [
    `count = ${table}.count + excluded.count, revision = ${table}.revision + 1`,
    ...(isRemote ? [rewritten(table)] : []),
    ...(hasWriter
      ? [
          `writer = excluded.writer, since = case ${table}.writer
            when excluded.writer then ${table}.since else ${table}.revision + 1 end`,
        ]
      : []),
  ]
  const width = columns.length
  const [into, onConflict] = [
    `insert into ${table} (${columns.join(', ')})`,
    `on conflict (source, day) do update set ${updates.join(', ')}`,
  ]
  const sums = columns.slice(2).map((name) => SUMS[name] ?? 'max')
  return {
    sql: `${into} values (${columns.map(() => '?').join(', ')}) ${onConflict}`,
    width,
    rowKey: ['source', 'day'],
    sums,
    set: {
      // In the order of the keys: writes of the same days never wait for each other in a circle.
      sql: `${into} select c1, c2, ${sums.map((sum, at) => `${sum}(c${at + 3})`).join(', ')}
        from @given group by c1, c2 order by c1, c2 ${onConflict}`,
      types: columns.map(() => 'bigint'),
    },
  }
}

/** How the columns of several writes of a day are summed up; the others by their largest number. */
const SUMS: Readonly<Record<string, Summing>> = { count: 'sum', first: 'min' }

const rewritten = (table: string): string =>
  `rewrites = ${table}.rewrites + case when excluded.first <= ${table}.last then 1 else 0 end,
    first = excluded.first, last = greatest(${table}.last, excluded.last)`

/** A day that is open again after it was sealed starts with a revision that no reader has seen. */
const newRevision = (): number => Math.floor(Math.random() * 2 ** 52)

/** More days than a page needs, except for a source that rarely has a record. */
export const DAYS_AT_ONCE = 32

/** The first days of a window that hold open records, for `planSpans`. */
export const dayCountsSql = (kind: RecordKind): string =>
  `select day, count from ${kind}_open_days where source = ? and day between ? and ?
    order by day limit ${DAYS_AT_ONCE}`

export const startOfDay = (day: number): number => day * DAY

export const endOfDay = (day: number): number => (day + 1) * DAY - 1

export const daysOf = (from: number, to: number): [first: number, last: number] => [
  Math.floor(from / DAY),
  Math.floor(to / DAY),
]

/**
 * Cuts a window into spans of at most `maximum` records by the counts of their days.
 *
 * The spans cover the window whatever the counts are: a wrong count costs memory, never a record.
 */
export function planSpans(
  from: number,
  to: number,
  days: Iterable<DayCount>,
  maximum: number,
): ReadSpan[] {
  const spans: ReadSpan[] = []
  let start = from
  let held = 0
  const close = (end: number): void => {
    if (end >= start) spans.push({ from: start, to: end, isDense: held > maximum })
    start = Math.max(start, end + 1)
    held = 0
  }
  for (const [day, count] of days) {
    if (held > 0 && held + count > maximum) close(day * DAY - 1)
    held += count
  }
  close(to)
  return spans
}
