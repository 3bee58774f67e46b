import type { Generated } from 'kysely'
import type { RejectOrigin } from '../../../domain/rejects/reject-origin.ts'

export type RejectTables = {
  rejects: {
    id: Generated<number>
    kind: RejectOrigin['kind']
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
