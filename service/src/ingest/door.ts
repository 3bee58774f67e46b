import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { Storage, WriteOptions } from '../storage/storage.ts'

/** What the one door for records needs; every way in hands its records through here. */
export type Door = {
  catalogue: CurrentCatalogue
  storage: Pick<Storage, 'data' | 'traffic' | 'vibration' | 'devices'>
  now(): number
}

/** The change that records are part of, and how far their source has been read. */
export type IngestOptions = Pick<WriteOptions, 'change' | 'position'>
