export interface LeaseStore {
  /** Takes a lease or extends the own one; false while another holder has it. */
  take(lease: { name: string; holder: string; now: number; until: number }): Promise<boolean>

  /** Releases a lease that the holder has. */
  leave(name: string, holder: string): Promise<void>
}
