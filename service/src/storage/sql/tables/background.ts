export type BackgroundTables = {
  leases: { name: string; holder: string; expires_at: number }
  clock_state: { id: number; version: number; state: string }
  positions: { name: string; position: string }
  retention_shares: {
    structure_id: number
    kind: string
    granted_at: number
    until: number
    records: number
  }
}
