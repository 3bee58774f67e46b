import type { Generated } from 'kysely'

export type SiteTables = {
  meta: { key: string; value: number }
  site_entries: { kind: string; id: string; position: number; definition: string }
  default_groups: { id: Generated<number>; structure_id: number; factor_id: number }
  sensors: { key: Generated<number>; id: string }
}
