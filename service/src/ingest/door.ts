import type { Values } from '../domain/alarms/judge.ts'
import type { Catalogue, CatalogueStation } from '../domain/catalogue.ts'
import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { EarlySources } from './early-sources.ts'
import type { AlarmWrites, Storage, WriteOptions } from '../storage/storage.ts'

/** What the one door for records needs; every way in hands its records through here. */
export type Door = {
  catalogue: CurrentCatalogue
  storage: Pick<Storage, 'data' | 'traffic' | 'vibration' | 'devices'>
  now(): number
  /** Not there: nothing is judged. */
  judge?: Judge
  /** Not there: nobody is told which sources have a clock that is ahead. */
  early?: EarlySources
}

/**
 * Judges station records on their way: `store` stores them together with what they mean for
 * alarms, and may be called again. With `isTold` false nobody is told.
 */
export type Judge = <Result>(
  catalogue: Catalogue,
  records: readonly { station: CatalogueStation; time: number; values: Values }[],
  store: (alarms?: AlarmWrites) => Promise<Result>,
  options?: { isTold?: boolean },
) => Promise<Result>

/** The change that records are part of, and how far their source has been read. */
export type IngestOptions = Pick<WriteOptions, 'change' | 'position'>
