import { readRecord } from './read-lists.ts'
import type { SqlEngine } from '../engine.ts'
import { findOpenText } from './find-open-text.ts'
import { rawQuery, type Columns, type Tuple } from '../engine.ts'
import type { Tables } from '../tables.ts'
import type { EarlyRecord, EarlyRecordStore } from '../../stores/early-records.ts'

const DAY = 86_400_000
const MONTH = 30 * DAY

/** After a day without early records, or after a jump of the clock, a source starts again. */
const NOTE_SOURCE = `insert into early_sources (kind, source, since, last_at, through, lead)
  values (?, ?, ?, ?, ?, ?)
  on conflict (kind, source) do update set
    since = case when abs(excluded.last_at - early_sources.last_at) > ${DAY}
      then excluded.since else early_sources.since end,
    lead = case when abs(excluded.last_at - early_sources.last_at) > ${DAY}
      or excluded.lead > early_sources.lead then excluded.lead else early_sources.lead end,
    through = case when early_sources.through > excluded.last_at + ${DAY}
      or excluded.through > early_sources.through
      then excluded.through else early_sources.through end,
    last_at = excluded.last_at`

/** Stores sources that send early records, and lists the early records that are due. */
export function earlyRecordStore(engine: SqlEngine): EarlyRecordStore {
  return {
    async noteSources(sources, now) {
      const values = sources.flatMap(({ kind, source, through }) => {
        return [kind, source, now, now, through, through - now]
      })
      await engine.write([{ sql: NOTE_SOURCE, width: 6, values }])
    },

    async listSources() {
      const rows = await engine.all(
        rawQuery<Columns<'early_sources', keyof Tables['early_sources']>>(
          `select kind, source, since, last_at, through, lead from early_sources
            order by kind, source`,
        ),
      )
      return rows.map(({ last_at, ...row }) => ({ ...row, lastAt: last_at }))
    },

    async expireSources(now) {
      const sql = `delete from early_sources where abs(? - last_at) > ${DAY}
        and (kind <> 'raw' or abs(? - through) > ${MONTH})`
      await engine.write([{ sql, width: 2, values: [now, now] }])
    },

    async listDue(horizon, limit) {
      const due = await engine.rows<Tuple<'early_records', ['source', 'time', 'is_notified']>>(
        `select source, time, is_notified from early_records where time <= ? order by time, source limit ?`,
        horizon,
        limit,
      )
      const records: EarlyRecord[] = []
      for (const [station, time, notified] of due) {
        const open = await findOpenText(engine, 'theme', station, time)
        const record = open ?? (await readRecord(engine, 'theme', station, time))
        const isSealed = open === undefined
        records.push({ station, time, isNotified: notified === 1, record, isSealed })
      }
      return records
    },

    async countWaiting() {
      return (await engine.row<[number]>(`select count(*) from early_records`))?.[0] ?? 0
    },
  }
}
