import { readRecord } from './read-lists.ts'
import type { Reader } from '../connection/reader.ts'
import { findOpenText } from './find-open-text.ts'
import type { Writer } from '../connection/writer.ts'
import { rawQuery, type Columns, type Tuple } from '../../sql/engine.ts'
import type { Tables } from '../../sql/tables.ts'
import type { EarlyRecordStore } from '../../stores/early-records.ts'

const DAY = 86_400_000
const MONTH = 30 * DAY

/** After a day without early records, or after a jump of the clock, a source starts again. */
const NOTE_SOURCE = `insert into early_sources (kind, source, since, last_at, through, lead)
  values (?, ?, ?, ?, ?, ?)
  on conflict (kind, source) do update set
    since = case when abs(excluded.last_at - last_at) > ${DAY} then excluded.since else since end,
    lead = case when abs(excluded.last_at - last_at) > ${DAY} then excluded.lead
      else max(lead, excluded.lead) end,
    through = case when through > excluded.last_at + ${DAY} then excluded.through
      else max(through, excluded.through) end,
    last_at = excluded.last_at`

/** Stores sources that send early records, and lists the early records that are due. */
export function earlyRecordStore(reader: Reader, writer: Writer): EarlyRecordStore {
  return {
    async noteSources(sources, now) {
      const values = sources.flatMap(({ kind, source, through }) => {
        return [kind, source, now, now, through, through - now]
      })
      await writer.write([{ sql: NOTE_SOURCE, width: 6, values }])
    },

    async listSources() {
      const rows = reader.all(
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
      await writer.write([{ sql, width: 2, values: [now, now] }])
    },

    async listDue(horizon, limit) {
      const due = reader.rows<Tuple<'early_records', ['source', 'time', 'is_notified']>>(
        `select source, time, is_notified from early_records where time <= ? order by time, source limit ?`,
        horizon,
        limit,
      )
      return due.map(([station, time, isNotified]) => {
        const open = findOpenText(reader, 'theme', station, time)
        const record = open ?? readRecord(reader, 'theme', station, time)
        return { station, time, isNotified: isNotified === 1, record, isSealed: open === undefined }
      })
    },

    async countWaiting() {
      return reader.row<[number]>(`select count(*) from early_records`)?.[0] ?? 0
    },
  }
}
