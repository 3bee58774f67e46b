import type { Generated } from 'kysely'

type SealedParts = {
  id: Generated<number>
  source: number
  start: number
  until: number
  count: number
  first: number
  last: number
  length: number
  crc: number
  times: Uint8Array
  newest: string
  hours: Uint8Array
  header_crc: number
  deflated_crc: number
  bounds_crc: number
}

type SealedChunks = { part_id: number; chunk: number; bytes: Uint8Array }

export type SealedDayTables = {
  theme_sealed_parts: SealedParts
  raw_sealed_parts: SealedParts
  theme_sealed_chunks: SealedChunks
  raw_sealed_chunks: SealedChunks
}
