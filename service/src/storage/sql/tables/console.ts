import type { Generated } from 'kysely'
import type { ShelvingEnd } from '../../stores/shelvings.ts'

export type ConsoleTables = {
  alarm_events: { id: Generated<number>; alarm_id: number; step: number; created_at: number }
  alarm_shelvings: {
    id: Generated<number>
    alarm_id: number
    starts_at: number
    ends_at: number
    comment: string
    sponsor: string
    ended_at: number | null
    ended_by: ShelvingEnd | null
  }
  portraits: { structure_id: number; type: string; hash: string; picture: Uint8Array }
  station_positions: { station_id: number; structure_id: number; x: number; y: number }
}
