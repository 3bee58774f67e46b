import { setImmediate } from 'node:timers/promises'
import type { Corrected } from './corrections.ts'
import type { Reader } from '../connection/reader.ts'
import { BATCHES_AT_ONCE, fingerprint, undoStep, type Write } from './undo.ts'
import { expireVehicles, restoreVehicles } from './vehicle-changes.ts'
import type { Writer } from '../connection/writer.ts'
import type { Statement } from '../../sql/engine.ts'
import type { Change, ChangeStore } from '../../storage.ts'

const ROWS_AT_ONCE = 2_000

const KINDS = ['theme', 'raw'] as const

export function changeStore(reader: Reader, writer: Writer, write: Write): ChangeStore {
  return {
    async begin({ kind, description, startedAt }) {
      const [outcome] = await writer.write([
        {
          sql: `insert into changes (kind, description, started_at) values (?, ?, ?)`,
          width: 3,
          values: [kind, description, startedAt],
        },
      ])
      return outcome!.lastId
    },

    async finish(id, now) {
      const sql = `update changes set finished_at = ? where id = ?`
      await writer.write([{ sql, width: 2, values: [now, id] }])
    },

    async list() {
      return reader.all<Change>({
        sql: `select id, kind, description, started_at as startedAt,
            finished_at as finishedAt, undone_at as undoneAt,
            (select count(*) from change_records where change_id = id)
              + (select count(*) from change_vehicles where change_id = id) as records,
            (select count(*) from change_waveforms where change_id = id) as waveforms
          from changes order by id`,
        parameters: [],
      })
    },

    async *readReplacedTimes(id, kind, source) {
      for (let after = Number.MIN_SAFE_INTEGER; ;) {
        const rows = reader.rows<[time: number, written: number | null, previous: string | null]>(
          `select time, written, iif(written is null, null, previous) from change_records
            where change_id = ? and kind = ? and source = ? and time > ? and previous is not null
            order by time limit ?`,
          id,
          kind,
          source,
          after,
          ROWS_AT_ONCE,
        )
        const isLost = ([, written, previous]: (typeof rows)[number]) =>
          written === null || written !== fingerprint(previous ?? undefined)
        yield rows.filter(isLost).map(([time]) => time)
        if (rows.length < ROWS_AT_ONCE) return
        after = rows.at(-1)![0]
        await setImmediate()
      }
    },

    async countRemoved(id) {
      const [batches = 0, vehicles = 0] =
        reader.row<[number, number]>(
          `select (select count(*) from change_waveforms
              where change_id = ? and written is null and previous is not null),
            (select count(*) from change_vehicles where change_id = ?)`,
          id,
          id,
        ) ?? []
      return { waveforms: batches, vehicles }
    },

    async undo(id, options) {
      const vehicles = await restoreVehicles({ reader, writer }, id, options.limit)
      if (vehicles === undefined) return undoStep({ reader, write }, id, options)
      return { ...vehicles, waveforms: { restored: 0, left: 0 }, newest: new Map(), isDone: false }
    },

    async expire(before, limit) {
      const [ofRecords, ofBatches, ofVehicles] = await writer.write([
        {
          sql: `delete from change_records where (change_id, kind, source, time) in (
              select change_id, kind, source, time from change_records
              where change_id in (select id from changes where started_at < ?) limit ?)`,
          width: 2,
          values: [before, limit],
        },
        {
          sql: `delete from change_waveforms
            where (change_id, station_id, trigger_time, trigger_nanoseconds) in (
              select change_id, station_id, trigger_time, trigger_nanoseconds from change_waveforms
              where change_id in (select id from changes where started_at < ?) limit ?)`,
          width: 2,
          values: [before, BATCHES_AT_ONCE],
        },
        expireVehicles(before, limit),
      ])
      const isDone =
        (ofRecords?.changed ?? 0) < limit &&
        (ofBatches?.changed ?? 0) < BATCHES_AT_ONCE &&
        (ofVehicles?.changed ?? 0) < limit
      if (!isDone) return { isDone, changes: 0 }
      const [ended] = await writer.write([
        { sql: `delete from changes where started_at < ?`, width: 1, values: [before] },
      ])
      return { isDone, changes: ended?.changed ?? 0 }
    },
  }
}

/**
 * Keeps what a write is about to replace; it goes before the write.
 *
 * Of several writes of one change the first one's earlier record stays, which is what was there
 * before the change.
 */
export function rememberChange(change: number, { rows, sealed, removed }: Corrected): Statement[] {
  const statements = KINDS.map((kind): Statement => {
    const { sources = [], times = [], records = [] } = rows[kind] ?? {}
    return {
      sql: `insert into change_records (change_id, kind, source, time, written, previous)
        select ?, '${kind}', ?, ?, ?,
          coalesce((select record from ${kind}_records where source = ? and time = ?), ?)
        where true ${REPEATED}`,
      width: 7,
      values: times.flatMap((time, at) => {
        const source = sources[at]
        const earlier = sealed[kind]?.[at] ?? null
        return [change, source, time, fingerprint(records[at]), source, time, earlier]
      }),
    }
  })
  const removals = KINDS.map((kind): Statement => ({
    sql: `insert into change_records (change_id, kind, source, time, written, previous)
        select ?, '${kind}', ?, ?, null,
          coalesce((select record from ${kind}_records where source = ? and time = ?), ?)
        where true ${REPEATED}`,
    width: 6,
    values: removed
      .filter((one) => one.kind === kind)
      .flatMap(({ source, time, text }) => [change, source, time, source, time, text]),
  }))
  return [...statements, ...removals].filter(({ values }) => values.length > 0)
}

const REPEATED = `on conflict (change_id, kind, source, time) do update set written = excluded.written`
