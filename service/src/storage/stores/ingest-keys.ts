import type { KeyTargets } from '../../domain/access/key-targets.ts'

export type IngestKey = {
  id: number
  name: string
  createdAt: number
  revokedAt: number | null
  /** What it may write to; null: everything. */
  targets: KeyTargets | null
}

export interface IngestKeyStore {
  /** Adds a key; without targets it may write to everything. */
  add(name: string, hash: Uint8Array, now: number, targets?: KeyTargets): Promise<void>

  /** Finds a key that is not revoked. */
  find(hash: Uint8Array): Promise<IngestKey | undefined>

  list(): Promise<IngestKey[]>

  /** Revokes a key; false where no valid key has this name. */
  revoke(name: string, now: number): Promise<boolean>
}
