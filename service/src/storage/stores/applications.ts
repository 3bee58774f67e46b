import type { AppScope } from '@plumbline/contract'

export type Application = {
  id: string
  userId: number
  name: string
  scope: AppScope
  createdAt: number
  revokedAt: number | null
}

export interface ApplicationStore {
  add(application: Omit<Application, 'revokedAt'>, secretHash: Uint8Array): Promise<void>

  /** Finds an application that is not revoked. */
  find(id: string): Promise<{ userId: number; secretHash: Uint8Array } | undefined>

  list(): Promise<Application[]>

  /** Revokes an application and its tokens; false where there is no such application. */
  revoke(id: string, now: number): Promise<boolean>

  /** Replaces the secret; tokens stay valid. False where there is no such application. */
  changeSecret(id: string, secretHash: Uint8Array): Promise<boolean>

  /** Changes the scope, also for tokens in use. False where there is no such application. */
  changeScope(id: string, scope: AppScope): Promise<boolean>
}
