import type { AppScope } from '@plumbline/contract'
import type { Generated } from 'kysely'

export type AccessTables = {
  applications: {
    id: string
    user_id: number
    name: string
    secret_hash: Uint8Array
    created_at: number
    revoked_at: number | null
    scope: AppScope
  }
  tokens: {
    hash: Uint8Array
    application_id: string
    issued_at: number
    expires_at: number
    invalidated_at: number | null
    expired_at: number | null
  }
  ingest_keys: {
    id: Generated<number>
    name: string
    hash: Uint8Array
    created_at: number
    revoked_at: number | null
    /** JSON of the targets; null: the key may write to everything. */
    targets: string | null
  }
}
