import type { AppScope } from '@plumbline/contract'

/** The scopes of applications; each includes those before it. */
export const APP_SCOPES = ['read', 'operate', 'admin'] as const satisfies readonly AppScope[]

/** The scope of an application for which none is named. */
export const DEFAULT_APP_SCOPE: AppScope = 'read'

/** Finds a scope by its name. */
export const findAppScope = (name: string): AppScope | undefined =>
  APP_SCOPES.find((scope) => scope === name)

/** Whether an application with the scope `held` may do what needs the scope `needed`. */
export const includesScope = (held: AppScope, needed: AppScope): boolean =>
  APP_SCOPES.indexOf(held) >= APP_SCOPES.indexOf(needed)
