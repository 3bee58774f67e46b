import type { AccountRole, AuditLine } from '@plumbline/contract'
import type { Generated } from 'kysely'
import type { LinkPurpose } from '../../stores/accounts.ts'

export type AccountTables = {
  accounts: {
    id: Generated<number>
    name: string
    display_name: string
    role: AccountRole
    user_id: number | null
    password: string | null
    totp_secret: Uint8Array | null
    totp_confirmed: Generated<number>
    totp_step: Generated<number>
    disabled_at: number | null
    created_at: number
    last_sign_in_at: number | null
  }
  sessions: {
    hash: Uint8Array
    account_id: number
    created_at: number
    used_at: number
    ended_at: number | null
  }
  one_time_links: {
    hash: Uint8Array
    purpose: LinkPurpose
    account_id: number | null
    created_at: number
    expires_at: number | null
  }
  audit_lines: {
    seq: number
    at: number
    who_kind: AuditLine['who']['kind']
    who_name: string
    address: string | null
    operation: string
    target: string | null
    value_before: string
    value_after: string
    outcome: string
    hash: string
  }
  audit_notes: { id: string; began_at: number; line: string }
}
