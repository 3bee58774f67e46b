import type { Values } from '../domain/alarms/judge.ts'
import type { Catalogue, CatalogueStation } from '../domain/catalogue.ts'
import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { AlarmWrites, Storage, WriteOptions } from '../storage/storage.ts'

/** What the one door for records needs; every way in hands its records through here. */
export type Door = {
  catalogue: CurrentCatalogue
  storage: Pick<Storage, 'data' | 'traffic' | 'vibration' | 'devices'>
  now(): number
  /** Not there: nothing is judged. */
  judge?: Judge
}

/** A record on its way, its values in the order of the factor's items. */
export type StationRecord = { station: CatalogueStation; time: number; values: Values }

/**
 * Judges station records on their way: `store` stores them together with what they mean for
 * alarms, and may be called again. With `isTold` false nobody is told.
 */
export type Judge = <Result>(
  catalogue: Catalogue,
  records: readonly StationRecord[],
  store: (alarms?: AlarmWrites) => Promise<Result>,
  options?: { isTold?: boolean },
) => Promise<Result>

/** The change that records are part of, and how far their source has been read. */
export type IngestOptions = Pick<WriteOptions, 'change' | 'position'>
