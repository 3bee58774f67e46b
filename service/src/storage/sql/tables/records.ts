import type { Generated } from 'kysely'
import type { EarlyKind } from '../../stores/early-records.ts'

type Records = { source: number; time: number; record: string }

type OpenDays = { source: number; day: number; count: number; revision: number }

type OpenHours = { source: number; day: number; revision: number; hours: Uint8Array; crc: number }

type Checksums = {
  source: number
  start: number
  last: number
  count: number
  length: number
  crc: number
  instants: number
}

type LastChecksums = Checksums & { newest: number }

export type RecordTables = {
  theme_records: Records
  raw_records: Records
  theme_open_days: OpenDays
  /** With the writer that wrote last, and the revision from which on no other did. */
  raw_open_days: OpenDays & { writer: number; since: number }
  theme_open_hours: OpenHours
  raw_open_hours: OpenHours
  theme_checksums: Checksums
  raw_checksums: Checksums
  theme_last_checksums: LastChecksums
  raw_last_checksums: LastChecksums
  early_records: { source: number; time: number; is_notified: number }
  early_sources: {
    kind: EarlyKind
    source: string
    since: number
    last_at: number
    through: number
    lead: number
  }
  manual_readings: {
    id: Generated<number>
    station_id: number
    time: number
    author: string
    user_id: number
    note: string
    record: string
    entered_at: number
  }
}
