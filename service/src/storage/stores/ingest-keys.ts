export type IngestKey = {
  id: number
  name: string
  createdAt: number
  revokedAt: number | null
}

export interface IngestKeyStore {
  add(name: string, hash: Uint8Array, now: number): Promise<void>

  /** Finds a key that is not revoked. */
  find(hash: Uint8Array): Promise<IngestKey | undefined>

  list(): Promise<IngestKey[]>

  /** Revokes a key; false where no valid key has this name. */
  revoke(name: string, now: number): Promise<boolean>
}
