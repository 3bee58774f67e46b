import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'

/** What the one door for records needs; every way in hands its records through here. */
export type Door = {
  catalogue: CurrentCatalogue
  storage: Pick<Storage, 'data' | 'traffic' | 'vibration' | 'devices'>
  now(): number
}
