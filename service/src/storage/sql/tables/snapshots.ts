import type { Generated } from 'kysely'

export type SnapshotTables = {
  pictures: { id: Generated<number>; camera_id: number; taken_at: number; jpeg: Uint8Array }
  alarm_snapshots: {
    id: Generated<number>
    alarm_id: number
    camera_id: number
    due_at: number
    ended_at: number | null
    picture_id: number | null
    problem: string | null
  }
}
