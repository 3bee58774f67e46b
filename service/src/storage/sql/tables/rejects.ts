import type { Generated } from 'kysely'

export type RejectTables = {
  rejects: {
    id: Generated<number>
    origin: string
    place: string
    reason: string
    payload: Uint8Array
    received_at: number
    context: string | null
    source: string
    bytes: number
  }
  reject_bytes: { source: string; bytes: number }
  reject_drops: { origin: string; dropped: number }
}
