import type { Generated } from 'kysely'
import type { Change } from '../../stores/changes.ts'
import type { RecordKind } from '../../stores/records.ts'
import type { TrafficTables } from './traffic.ts'

export type ChangeTables = {
  changes: {
    id: Generated<number>
    kind: Change['kind']
    description: string
    started_at: number
    finished_at: number | null
    undone_at: number | null
  }
  change_records: {
    change_id: number
    kind: RecordKind
    source: number
    time: number
    written: number | null
    previous: string | null
    previous_marks: string | null
  }
  change_waveforms: {
    change_id: number
    station_id: number
    trigger_time: number
    trigger_nanoseconds: number
    collect_time: number
    sources: string
    written: number | null
    previous: number | null
    sample_freq: string | null
    unit: string | null
    count: number | null
    sample_bytes: number | null
  }
  change_vehicles: TrafficTables['traffic_records'] & { change_id: number }
}
