export type IntegrityTables = {
  row_sums: { name: string; owner: number; part: number; count: number; total: number }
  schema_objects: { name: string; type: string; crc: number }
}
