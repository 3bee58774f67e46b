import type { DayCount } from '../../../domain/retention/retention-share.ts'
import type { Statement } from '../statement.ts'
import type { RecordKind, RecordRows } from '../../stores/records.ts'

const DAY = 86_400_000

/** A portion of a window; a dense one may have more records than are read at once. */
type ReadSpan = { from: number; to: number; isDense: boolean }

/** Adds the records of a write to the counts of their days, replaced ones too, and notes the writer. */
export function dayCounts(
  kind: RecordKind,
  { sources, times }: RecordRows,
  writer?: number,
): Statement {
  const counts = new Map<number, Map<number, number>>()
  for (let at = 0; at < times.length;) {
    const source = sources[at]
    const time = times[at]
    if (source === undefined || time === undefined)
      throw new RangeError('the columns of records must be equally long')
    const day = Math.floor(time / DAY)
    const [from, to] = [day * DAY, (day + 1) * DAY]
    const first = at++
    while (sources[at] === source && isWithin(times[at], from, to)) at++
    const days = counts.getOrInsertComputed(source, () => new Map<number, number>())
    days.set(day, (days.get(day) ?? 0) + at - first)
  }
  const values: number[] = []
  for (const [source, days] of counts)
    for (const [day, count] of days)
      if (writer === undefined) values.push(source, day, count, newRevision())
      else values.push(source, day, count, newRevision(), writer)
  const table = `${kind}_open_days`
  const added = `count = ${table}.count + excluded.count, revision = ${table}.revision + 1`
  const written = `writer = excluded.writer, since = case ${table}.writer
    when excluded.writer then ${table}.since else ${table}.revision + 1 end`
  const [columns, update] =
    writer === undefined
      ? (['source, day, count, revision', added] as const)
      : (['source, day, count, revision, writer', `${added}, ${written}`] as const)
  const width = columns.split(',').length
  const given = Array.from({ length: width }, (_, at) => `c${at + 1}`)
  const [into, onConflict] = [
    `insert into ${table} (${columns})`,
    `on conflict (source, day) do update set ${update}`,
  ]
  return {
    sql: `${into} values (${given.map(() => '?').join(', ')}) ${onConflict}`,
    width,
    values,
    rowKey: ['source', 'day'],
    adds: 2,
    set: {
      // In the order of the keys: writes of the same days never wait for each other in a circle.
      sql: `${into} select c1, c2, sum(c3), ${given
        .slice(3)
        .map((one) => `max(${one})`)
        .join(', ')}
        from @given group by c1, c2 order by c1, c2 ${onConflict}`,
      types: given.map(() => 'bigint'),
    },
  }
}

const isWithin = (time: number | undefined, from: number, to: number): boolean =>
  time !== undefined && time >= from && time < to

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
