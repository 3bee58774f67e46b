import type { SqlEngine, SqlReader } from '../engine.ts'
import {
  countDays,
  findNewest,
  findOldest,
  isRowKind,
  ROW_TABLES,
  type RowKind,
} from './record-bounds.ts'
import { daysOf } from './record-days.ts'
import type { Tuple } from '../engine.ts'
import { lockSources, type Statement } from '../statement.ts'
import { deleteMarksBefore } from './marks.ts'
import { deleteManualReadings } from '../manual-readings.ts'
import type { RecordKind } from '../../stores/records.ts'
import type { Expiry, RetentionStore } from '../../stores/retention.ts'

/** The number of sealed parts that one write can delete. */
const PARTS = 64

/**
 * The statements that delete the next records. `counted` records are taken from the share of the day.
 * `records` is their number where the outcome of the first statement does not have it.
 */
type ExpiryStep = { statements: Statement[]; isDone: boolean; counted: number; records?: number }
type ExpiryOf<Kind> = Omit<Expiry, 'kind'> & { kind: Kind }

/** Vehicles and waveforms are written by one statement each. */
const NO_LOCK = lockSources('theme', [])

const NOTHING: ExpiryStep = { statements: [], isDone: true, counted: 0 }

export function retentionStore(engine: SqlEngine): RetentionStore {
  return {
    async expire(what) {
      const step = await engine.snapshot((one) => nextStep(one, what))
      if (step.statements.length === 0) return { records: 0, isDone: step.isDone }
      const [, removed] = await engine.write([
        isRowKind(what.kind) ? NO_LOCK : lockSources(what.kind, [what.source]),
        ...step.statements,
        ...chargeShare(what, step),
      ])
      return { records: step.records ?? removed?.changed ?? 0, isDone: step.isDone }
    },

    async count(what) {
      return engine.snapshot((one) => countOlder(one, what))
    },

    async findOldest(kind, source) {
      return engine.snapshot((one) => findOldest(one, kind, source))
    },

    async findNewest(kind, source, upTo) {
      return engine.snapshot((one) => findNewest(one, kind, source, upTo))
    },

    async countDays(kind, source) {
      return engine.snapshot((one) => countDays(one, kind, source))
    },

    async findShare(structure, kind) {
      const row = await engine.row<Tuple<'retention_shares', ['granted_at', 'until', 'records']>>(
        `select granted_at, until, records from retention_shares
          where structure_id = ? and kind = ?`,
        structure,
        kind,
      )
      return row && { grantedAt: row[0], until: row[1], records: row[2] }
    },

    async putShare(structure, kind, { grantedAt, until, records }) {
      await engine.write([
        {
          sql: `insert into retention_shares (structure_id, kind, granted_at, until, records)
            values (?, ?, ?, ?, ?) on conflict (structure_id, kind) do update set
            granted_at = excluded.granted_at, until = excluded.until, records = excluded.records`,
          width: 5,
          values: [structure, kind, grantedAt, until, records],
        },
      ])
    },
  }
}

/** Takes the records from the share in the same transaction, so that none is granted twice. */
function chargeShare({ shareOf, kind }: Expiry, { counted }: ExpiryStep): Statement[] {
  if (shareOf === undefined || counted === 0) return []
  return [
    {
      sql: `update retention_shares set records = case when records > ? then records - ? else 0 end
        where structure_id = ? and kind = ?`,
      width: 4,
      values: [counted, counted, shareOf, kind],
    },
  ]
}

async function nextStep(reader: SqlReader, { kind, ...rest }: Expiry): Promise<ExpiryStep> {
  if (isRowKind(kind)) return expireRows(reader, { kind, ...rest })
  return (await expireParts(reader, { kind, ...rest })) ?? expireOpen(reader, { kind, ...rest })
}

/** Deletes parts before their corrections, or the records that were corrected would be read again. */
async function expireParts(
  reader: SqlReader,
  what: ExpiryOf<RecordKind>,
): Promise<ExpiryStep | undefined> {
  const { kind, source, before, limit } = what
  const parts = await reader.rows<Tuple<'theme_sealed_parts', ['until', 'count']>>(
    `select until, count from ${kind}_sealed_parts where source = ? and until <= ?
      order by until limit ?`,
    source,
    before,
    PARTS,
  )
  let records = 0
  const taken = parts.filter(([, count]) => {
    const isTaken = records < limit
    if (isTaken) records += count
    return isTaken
  })
  const last = taken.at(-1)
  if (last === undefined) return undefined
  const remove = {
    sql: `delete from ${kind}_sealed_parts where source = ? and until <= ?`,
    width: 2,
    values: [source, last[0]],
  }
  const readings = deleteBeside(kind, source, last[0])
  return { statements: [remove, ...readings], isDone: false, counted: records, records }
}

/** Deletes open records, and the entries of days that have none any more. */
async function expireOpen(reader: SqlReader, what: ExpiryOf<RecordKind>): Promise<ExpiryStep> {
  const { kind, source, limit } = what
  const before = await endOfOpen(reader, what)
  const [last, count] = (await reader.row<[number, number]>(
    `select max(time), count(*) from (select time from ${kind}_records
      where source = ? and time < ? order by time limit ?) as oldest`,
    source,
    before,
    limit,
  )) ?? [0, 0]
  const isDone = count < limit
  // Every record before this instant is deleted, also one that arrived meanwhile.
  const end = isDone ? before : last + 1
  const [lastDay, nextDay] = daysOf(end - 1, end)
  if (count === 0 && !(await hasEntries(reader, kind, source, end))) return NOTHING
  return {
    statements: [
      {
        sql: `delete from ${kind}_records where source = ? and time between ? and ?`,
        width: 3,
        values: [source, Number.MIN_SAFE_INTEGER, end - 1],
        checked: { kind, as: 'spans' },
      },
      {
        sql: `delete from ${kind}_open_days where source = ? and day < ?`,
        width: 2,
        values: [source, nextDay],
      },
      {
        sql: `update ${kind}_open_days set revision = revision + 1,
            rewrites = rewrites + 1, count = (select count(*) from ${kind}_records as open
              where open.source = ${kind}_open_days.source
              and open.time >= day * 86400000 and open.time < (day + 1) * 86400000)
          where source = ? and day = ?`,
        width: 2,
        values: [source, lastDay],
      },
      // The day may be open again later with any revision: no cached hours may be left.
      {
        sql: `delete from ${kind}_open_hours where source = ? and day <= ?`,
        width: 2,
        values: [source, lastDay],
      },
      ...deleteBeside(kind, source, end),
    ],
    isDone,
    counted: count,
  }
}

/** Marks and manual readings expire with their records. */
const deleteBeside = (kind: RecordKind, source: number, before: number): Statement[] => [
  deleteMarksBefore(kind, source, before),
  ...(kind === 'theme' ? [deleteManualReadings(source, before)] : []),
]

async function countOlder(
  reader: SqlReader,
  { kind, ...what }: Omit<Expiry, 'limit' | 'shareOf'>,
): Promise<number> {
  const { source, before } = what
  const sum = async (sql: string, end: number) =>
    (await reader.row<[number]>(sql, source, end))?.[0] ?? 0
  if (isRowKind(kind)) {
    const { table, source: owner, time } = ROW_TABLES[kind]
    return sum(`select count(*) from ${table} where ${owner} = ? and ${time} < ?`, before)
  }
  const sealed = `select coalesce(sum(count), 0) from ${kind}_sealed_parts where source = ? and until <= ?`
  const open = `select count(*) from ${kind}_records where source = ? and time < ?`
  return (await sum(sealed, before)) + (await sum(open, await endOfOpen(reader, { kind, ...what })))
}

/** The end of the open records that expire: corrections of a part that stays are kept with it. */
async function endOfOpen(
  reader: SqlReader,
  { kind, source, before }: Omit<ExpiryOf<RecordKind>, 'limit'>,
): Promise<number> {
  const sql = `select start from ${kind}_sealed_parts where source = ? and until > ? order by until limit 1`
  const found = await reader.row<Tuple<'theme_sealed_parts', ['start']>>(sql, source, before)
  const [start] = found ?? [before]
  return Math.min(start, before)
}

/** Whether a source has entries of days, or marks, before an instant before which it has no records. */
async function hasEntries(
  reader: SqlReader,
  kind: RecordKind,
  source: number,
  before: number,
): Promise<boolean> {
  const [day] = daysOf(before, before)
  const sql = `select 1 where exists (select 1 from ${kind}_open_days where source = ? and day < ?)
    or exists (select 1 from ${kind}_open_hours where source = ? and day < ?)
    or exists (select 1 from ${kind}_marks where source = ? and time < ?)`
  return (await reader.row(sql, source, day, source, day, source, before)) !== undefined
}

async function expireRows(
  reader: SqlReader,
  { kind, source, before, limit }: ExpiryOf<RowKind>,
): Promise<ExpiryStep> {
  const { table, source: owner, time } = ROW_TABLES[kind]
  const [last, count] = (await reader.row<[number, number]>(
    `select max(${time}), count(*) from (select ${time} from ${table}
      where ${owner} = ? and ${time} < ? order by ${time} limit ?) as oldest`,
    source,
    before,
    limit,
  )) ?? [0, 0]
  if (count === 0) return NOTHING
  const remove = {
    sql: `delete from ${table} where ${owner} = ? and ${time} <= ?`,
    width: 2,
    values: [source, last],
  }
  return { statements: [remove], isDone: count < limit, counted: count }
}
