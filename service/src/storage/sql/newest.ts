import type { Condition } from './dialect.ts'
import type { RecordKind } from '../stores/records.ts'

/**
 * A query for the instant of a source's newest record up to a horizon, open or sealed; a record whose
 * values are all bad has marks only. Of a sealed part that ends after the horizon the first instant
 * counts. Takes the values of `newestValues`.
 */
export const newestSql = (kind: RecordKind, source = '?'): string => {
  const isEvaluated = kind === 'theme' ? ` and ${IS_EVALUATED}` : ''
  const newestOf = (table: string): string =>
    `select * from (select time as newest from ${table} as open
      where source = ${source} and time <= ?${isEvaluated} order by time desc limit 1) as in_${table}`
  return `select max(newest) from (
    ${newestOf(`${kind}_records`)}
    union all ${newestOf(`${kind}_marks`)}
    union all
    select * from (select case when last <= ? then last else first end from ${kind}_sealed_parts
      where source = ${source} and first <= ? order by start desc limit 1) as in_parts) as newest_of_all`
}

/** The query of one source, or of each that a table `given` has. */
export const newestQuery = (
  kind: RecordKind,
  source: number | 'given.source',
  horizon: number,
): Condition =>
  typeof source === 'number'
    ? { sql: newestSql(kind), values: newestValues(source, horizon) }
    : { sql: newestSql(kind, source), values: [horizon, horizon, horizon, horizon] }

export const newestValues = (source: number, horizon: number): number[] => [
  source,
  horizon,
  source,
  horizon,
  horizon,
  source,
  horizon,
]

const IS_EVALUATED = `not exists (select 1 from early_records as early
  where early.source = open.source and early.time = open.time)`
