import { usualInterval, type SealedSpan } from '../../../domain/overview/usual-interval.ts'
import type { RecordKind } from '../../stores/records.ts'
import type { Condition, Dialect } from '../dialect.ts'
import type { SqlReader } from '../engine.ts'
import { findForEach } from './find-for-each.ts'

/** The records whose distances count, and the sealed parts that are looked at. */
const NEWEST = 12

/** The usual distances of the records of sources, in their order. */
export async function findUsualIntervals(
  reader: SqlReader,
  kind: RecordKind,
  sources: readonly number[],
  horizon: number,
): Promise<(number | undefined)[]> {
  const find = (of: readonly number[], read: NewestRows) =>
    findForEach<string>(reader, of, (source) => newestRows(reader.dialect, read, source, horizon))
  const open = (
    await find(sources, { table: `${kind}_records`, time: 'time', value: 'stored.time' })
  ).map((text) => split(text).map(Number))
  const few = sources.filter((_, at) => (open[at]?.length ?? 0) < NEWEST)
  const parts = await find(few, {
    table: `${kind}_sealed_parts`,
    time: 'first',
    value: `stored.count || ' ' || stored.first || ' ' || stored.last`,
  })
  const sealed = new Map(few.map((source, at) => [source, split(parts[at]).map(toSpan)]))
  return sources.map((source, at) =>
    usualInterval(open[at] ?? [], sealed.get(source) ?? [], NEWEST - 1),
  )
}

type NewestRows = { table: string; time: string; value: string }

/** A value of each of the newest rows of a source up to the horizon, joined by commas in any order. */
function newestRows(
  { joinedNumbers }: Dialect,
  { table, time, value }: NewestRows,
  source: number | 'given.source',
  horizon: number,
): Condition {
  const isGiven = source === 'given.source'
  return {
    sql: `select ${joinedNumbers('value')} from (select ${value} as value from ${table} as stored
      where stored.source = ${isGiven ? source : '?'} and stored.${time} <= ?
      order by stored.${time} desc limit ${NEWEST}) as newest`,
    values: isGiven ? [horizon] : [source, horizon],
  }
}

const split = (text: string | null | undefined): string[] => text?.split(',') ?? []

function toSpan(text: string): SealedSpan {
  const [count = 0, first = 0, last = 0] = text.split(' ').map(Number)
  return { count, first, last }
}
