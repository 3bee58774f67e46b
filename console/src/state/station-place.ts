import type { Factor, Structure } from '@plumbline/client'

/** What a station is, and where it belongs. */
export type StationPlace = {
  id: number
  name: string
  structure: Structure
  factor: Factor
  groupId: number
  groupName: string
}
