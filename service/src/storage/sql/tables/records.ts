import type { Generated } from 'kysely'
import type { EarlyKind } from '../../stores/early-records.ts'

type RecordTable = { source: number; time: number; record: string }

type MarkTable = { source: number; time: number; marks: string }

type OpenDayTable = {
  source: number
  day: number
  count: number
  revision: number
  /** Grows with every change of the day but records that are newer than all of it. */
  rewrites: number
}

type OpenHourTable = {
  source: number
  day: number
  revision: number
  hours: Uint8Array
  crc: number
}

type ChecksumTable = {
  source: number
  start: number
  last: number
  count: number
  length: number
  crc: number
  instants: number
}

type LastChecksumTable = ChecksumTable & { newest: number }

export type RecordTables = {
  theme_records: RecordTable
  raw_records: RecordTable
  theme_marks: MarkTable
  raw_marks: MarkTable
  theme_open_days: OpenDayTable
  /** `writer` wrote last; `since` is the revision from which on no other writer wrote. */
  raw_open_days: OpenDayTable & { writer: number; since: number }
  theme_open_hours: OpenHourTable
  raw_open_hours: OpenHourTable
  theme_checksums: ChecksumTable
  raw_checksums: ChecksumTable
  theme_last_checksums: LastChecksumTable
  raw_last_checksums: LastChecksumTable
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
    change_id: number | null
    quality: string | null
    undone_at: number | null
  }
}
