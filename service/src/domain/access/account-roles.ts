import type { AccountRole, AppScope } from '@plumbline/contract'

/** The scope of each role: a role may do what an application with this scope may. */
const SCOPES = {
  viewer: 'read',
  operator: 'operate',
  administrator: 'admin',
} as const satisfies Record<AccountRole, AppScope>

export const ACCOUNT_ROLES = Object.keys(SCOPES) as AccountRole[]

export const scopeOfRole = (role: AccountRole): AppScope => SCOPES[role]

/** Finds a role by its name. */
export const findAccountRole = (name: string): AccountRole | undefined =>
  ACCOUNT_ROLES.find((role) => role === name)
