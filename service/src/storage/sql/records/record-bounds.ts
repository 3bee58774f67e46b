import type { Tuple } from '../engine.ts'
import type { SqlReader } from '../engine.ts'
import type { DayCount } from '../../../domain/retention/retention-share.ts'
import type { RetainedKind } from '../../../domain/retention/retained-kind.ts'
import type { RecordKind } from '../../stores/records.ts'

const DAY = 86_400_000

/** The tables of kinds that have a row for each record, and no sealed days. */
export const ROW_TABLES = {
  vibration: { table: 'waveforms', source: 'station_id', time: 'collect_time' },
  traffic: { table: 'traffic_records', source: 'structure_id', time: 'time' },
} as const

export type RowKind = keyof typeof ROW_TABLES

export const isRowKind = (kind: RetainedKind): kind is RowKind => Object.hasOwn(ROW_TABLES, kind)

/** The instant of the oldest record of a source; of a sealed part the start counts. */
export async function findOldest(
  reader: SqlReader,
  kind: RetainedKind,
  source: number,
): Promise<number | undefined> {
  if (isRowKind(kind)) {
    const { table, source: owner, time } = ROW_TABLES[kind]
    return found(reader, `select min(${time}) from ${table} where ${owner} = ?`, source)
  }
  const open = await found(reader, `select min(time) from ${kind}_records where source = ?`, source)
  const sealed = await found(
    reader,
    `select start from ${kind}_sealed_parts where source = ? order by until limit 1`,
    source,
  )
  return least(open, sealed)
}

/** The instant of the newest record of a source up to `upTo`, as far as it is known without decoding. */
export async function findNewest(
  reader: SqlReader,
  kind: RetainedKind,
  source: number,
  upTo: number,
): Promise<number | undefined> {
  if (isRowKind(kind)) {
    const { table, source: owner, time } = ROW_TABLES[kind]
    const sql = `select max(${time}) from ${table} where ${owner} = ? and ${time} <= ?`
    return found(reader, sql, source, upTo)
  }
  const sql = `select max(time) from ${kind}_records where source = ? and time <= ?`
  const open = await found(reader, sql, source, upTo)
  const parts = `select first, last from ${kind}_sealed_parts where source = ? and start <= ?
    order by start desc limit 2`
  type Bounds = Tuple<'theme_sealed_parts', ['first', 'last']>
  const sealed = (await reader.rows<Bounds>(parts, source, upTo))
    .filter(([first]) => first <= upTo)
    // In a part that ends after the instant, only the first record is known to lie before it.
    .map(([first, last]) => (last <= upTo ? last : first))
  return greatest(open, ...sealed)
}

/** About how many records a source has on each day of UTC. */
export async function countDays(
  reader: SqlReader,
  kind: RetainedKind,
  source: number,
): Promise<DayCount[]> {
  if (isRowKind(kind)) {
    const { table, source: owner, time } = ROW_TABLES[kind]
    return reader.rows<[number, number]>(
      `select ${time} / ${DAY} - case when ${time} % ${DAY} < 0 then 1 else 0 end as day, count(*)
        from ${table}
        where ${owner} = ? group by day`,
      source,
    )
  }
  return [...(await countSealed(reader, kind, source)), ...(await countOpen(reader, kind, source))]
}

const countOpen = (reader: SqlReader, kind: RecordKind, source: number) =>
  reader.rows<Tuple<'theme_open_days', ['day', 'count']>>(
    `select day, count from ${kind}_open_days where source = ?`,
    source,
  )

async function countSealed(
  reader: SqlReader,
  kind: RecordKind,
  source: number,
): Promise<DayCount[]> {
  const sql = `select until, count from ${kind}_sealed_parts where source = ? order by until`
  type Part = Tuple<'theme_sealed_parts', ['until', 'count']>
  return (await reader.rows<Part>(sql, source)).map(([until, count]) => [
    Math.floor((until - 1) / DAY),
    count,
  ])
}

const found = async (
  reader: SqlReader,
  sql: string,
  ...values: number[]
): Promise<number | undefined> =>
  (await reader.row<[number | null]>(sql, ...values))?.[0] ?? undefined

const least = (...instants: (number | undefined)[]): number | undefined => pick(Math.min, instants)

const greatest = (...instants: (number | undefined)[]): number | undefined =>
  pick(Math.max, instants)

function pick(
  choose: (...values: number[]) => number,
  instants: readonly (number | undefined)[],
): number | undefined {
  const known = instants.filter((instant) => instant !== undefined)
  return known.length === 0 ? undefined : choose(...known)
}
