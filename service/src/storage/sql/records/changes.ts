import { setImmediate } from 'node:timers/promises'
import { IS_ENDED, IS_KEPT, markExpired } from './change-states.ts'
import { fingerprint } from './remember-change.ts'
import { WAVEFORMS_AT_ONCE, undoStep, type WriteRecords } from './undo.ts'
import { expireVehicles, restoreVehicles } from './vehicle-changes.ts'
import { rawQuery, type Columns, type SqlEngine, type Tuple } from '../engine.ts'
import { newId } from '../statement.ts'
import type { ChangeStore } from '../../stores/changes.ts'

const ROWS_AT_ONCE = 2_000

type ChangeRow = Columns<
  'changes',
  'id' | 'kind' | 'description' | 'started_at' | 'finished_at' | 'undone_at'
> & { records: number; waveforms: number }

type ReplacedRow = Tuple<'change_records', ['time', 'written', 'previous', 'previous_marks']>

export function changeStore(engine: SqlEngine, writeRecords: WriteRecords): ChangeStore {
  return {
    async begin({ kind, description, startedAt }) {
      const [outcome] = await engine.write([
        {
          sql: `insert into changes (kind, description, started_at) values (?, ?, ?)`,
          width: 3,
          values: [kind, description, startedAt],
          givesId: true,
        },
      ])
      return newId(outcome)
    },

    async finish(id, now) {
      const sql = `update changes set finished_at = ? where id = ?`
      await engine.write([{ sql, width: 2, values: [now, id] }])
    },

    async findRewriting() {
      const [found] = await engine.rows<Tuple<'changes', ['id', 'description']>>(
        `select id, description from changes where kind = 'rewrite' and undone_at is null
          and finished_at is null order by id limit 1`,
      )
      return found === undefined ? undefined : { id: found[0], description: found[1] }
    },

    async findRestoring(kind, sources) {
      const wanted = engine.dialect.isAmong('source', sources)
      const found = await engine.rows<[number]>(
        `select id from changes where undone_at is null
          and (kind <> 'rewrite' or finished_at is not null) and exists (
          select 1 from change_records where change_id = changes.id and kind = ? and ${wanted.sql}
            and (previous is not null or previous_marks is not null)) order by id`,
        kind,
        ...wanted.values,
      )
      return found.map(([id]) => id)
    },

    async findLater(id) {
      const later = await engine.rows<[number]>(
        `select id from changes where id > ? and undone_at is null order by id desc`,
        id,
      )
      for (const [other] of later) {
        if ((await engine.row(SHARED_PLACE, other, id)) !== undefined) return other
        await setImmediate()
      }
      return undefined
    },

    async reopen(id) {
      const sql = `update changes set finished_at = null where id = ? and undone_at is null`
      await engine.write([{ sql, width: 1, values: [id] }])
    },

    async list() {
      const rows = await engine.all(
        rawQuery<ChangeRow>(
          `select id, kind, description, started_at, finished_at, undone_at,
            (select count(*) from change_records where change_id = id)
              + (select count(*) from change_vehicles where change_id = id) as records,
            (select count(*) from change_waveforms where change_id = id) as waveforms
          from changes where ${IS_KEPT} order by id`,
        ),
      )
      return rows.map(({ started_at, finished_at, undone_at, ...row }) => {
        return { ...row, startedAt: started_at, finishedAt: finished_at, undoneAt: undone_at }
      })
    },

    async *readReplacedTimes(id, kind, source) {
      let isDone = false
      for (let last = Number.MIN_SAFE_INTEGER; !isDone;) {
        const rows = await engine.rows<ReplacedRow>(
          `select time, written, case when written is null then null else previous end, previous_marks
            from change_records where change_id = ? and kind = ? and source = ? and time > ?
              and (previous is not null or previous_marks is not null)
            order by time limit ?`,
          id,
          kind,
          source,
          last,
          ROWS_AT_ONCE,
        )
        const isReplaced = ([, written, previous, marks]: ReplacedRow) =>
          written === null || written !== fingerprint(previous ?? undefined, marks)
        yield rows.filter(isReplaced).map(([time]) => time)
        ;[last] = rows.at(-1) ?? [last]
        isDone = rows.length < ROWS_AT_ONCE
        if (!isDone) await setImmediate()
      }
    },

    async countRemoved(id) {
      const [waveforms = 0, vehicles = 0] =
        (await engine.row<[number, number]>(
          `select (select count(*) from change_waveforms
              where change_id = ? and written is null and previous is not null),
            (select count(*) from change_vehicles where change_id = ?)`,
          id,
          id,
        )) ?? []
      return { waveforms, vehicles }
    },

    async undo(id, options) {
      const vehicles = await restoreVehicles(engine, id, options)
      if (vehicles === undefined)
        return undoStep({ reader: engine, write: writeRecords }, id, options)
      const waveforms = { removed: 0, restored: 0, left: 0 }
      return { ...vehicles, waveforms, newest: new Map() }
    },

    async expire(before, limit) {
      const [, records, waveforms, vehicles] = await engine.write([
        markExpired(before),
        {
          sql: `delete from change_records where (change_id, kind, source, time) in (
              select change_id, kind, source, time from change_records
              where change_id in (${ENDED}) limit ?)`,
          width: 2,
          values: [before, limit],
        },
        {
          sql: `delete from change_waveforms
            where (change_id, station_id, trigger_time, trigger_nanoseconds) in (
              select change_id, station_id, trigger_time, trigger_nanoseconds from change_waveforms
              where change_id in (${ENDED}) limit ?)`,
          width: 2,
          values: [before, WAVEFORMS_AT_ONCE],
        },
        expireVehicles(before, limit),
      ])
      const isDone =
        (records?.changed ?? 0) < limit &&
        (waveforms?.changed ?? 0) < WAVEFORMS_AT_ONCE &&
        (vehicles?.changed ?? 0) < limit
      if (!isDone) return { isDone, changes: 0 }
      const [ended] = await engine.write([
        { sql: `delete from changes where id in (${ENDED})`, width: 1, values: [before] },
      ])
      return { isDone, changes: ended?.changed ?? 0 }
    },
  }
}

/** Whether two changes have a place in common. */
const SHARED_PLACE = `select 1 from change_records as later where later.change_id = ? and exists (
  select 1 from change_records as earlier where earlier.change_id = ? and earlier.kind = later.kind
    and earlier.source = later.source and earlier.time = later.time) limit 1`

const ENDED = `select id from changes where ${IS_ENDED}`
