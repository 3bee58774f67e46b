export interface LeaseStore {
  /** Takes a lease, or keeps the own one for longer; false while somebody else holds it. */
  take(lease: { name: string; holder: string; now: number; until: number }): Promise<boolean>

  /** Gives the own lease back. */
  leave(name: string, holder: string): Promise<void>
}
