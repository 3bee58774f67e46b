import { Backfill } from './backfill.ts'
import type { ItemValues } from '../../domain/alarms/threshold-evaluator.ts'
import type { Catalogue, CatalogueStation } from '../../domain/site/catalogue.ts'
import type { CurrentCatalogue } from '../../storage/current-catalogue.ts'
import type { BehindSources } from './behind-sources.ts'
import type { EarlySources } from './early-sources.ts'
import type { AlarmWrites, Storage, WriteOptions } from '../../storage/storage.ts'

/** What the one door for records needs; every way in hands its records through here. */
export type Door = {
  catalogue: CurrentCatalogue
  storage: Pick<Storage, 'data' | 'traffic' | 'vibration' | 'devices'>
  now(): number
  /** Refuses everything while the clock is known to be wrong; not there: the clock is believed. */
  requireClock?(): void
  /** What lets live records go before backfill; not there: one of the storage's own. */
  backfill?: Backfill
  /** The frequencies of a longer waveform are not tracked; not there: of any length they are. */
  analysisSamples?: number
  /** Not there: nothing is judged. */
  judge?: Judge
  /** Not there: nobody is told which sources have a clock that is ahead. */
  early?: EarlySources
  /** Not there: records of any past are stored, as imports bring them. */
  behind?: BehindSources
}

/** The instant at which something comes in; refuses while the clock is known to be wrong. */
export function arriveAt({ now, requireClock }: Pick<Door, 'now' | 'requireClock'>): number {
  requireClock?.()
  return now()
}

/** The same door for records that somebody gives by hand or imports, of whatever past. */
export function openToPast(door: Door): Door {
  const open = { ...door }
  delete open.behind
  return open
}

/** A record on its way, its values in the order of the factor's items. */
export type StationRecord = { station: CatalogueStation; time: number; values: ItemValues }

/**
 * Judges station records on their way: `store` stores them together with what they mean for
 * alarms, and may be called again. With `isNotified` false nobody is told.
 */
export type Judge = <Result>(
  catalogue: Catalogue,
  records: readonly StationRecord[],
  store: (alarms?: AlarmWrites) => Promise<Result>,
  options?: { isNotified?: boolean },
) => Promise<Result>

/** The change that records are part of, and how far their source has been read. */
export type IngestOptions = Pick<WriteOptions, 'change' | 'position'>

/** A station whose records keep their order. */
export const stationSource = (id: number): string => `station ${id}`

const ofStorages = new WeakMap<object, Backfill>()

type InTime<Row> = Pick<WriteOptions, 'change' | 'position'> & {
  /** Whose records have to keep their order with those of the rows. */
  sourcesOf(rows: readonly Row[]): readonly string[]
}

/**
 * Stores rows at once or, as backfill, when it is their turn; gives what each write came to.
 *
 * A batch that somebody sent is stored whole or not at all. Rows of an import or of a file that is
 * read on go in portions: they are stored again from where they ended.
 */
export async function storeInTime<Row extends { time: number }, Result>(
  door: Door,
  rows: readonly Row[],
  { change, position, sourcesOf }: InTime<Row>,
  store: (portion: readonly Row[], isLast: boolean) => Promise<Result>,
): Promise<Result[]> {
  const { data } = door.storage
  const backfill = door.backfill ?? ofStorages.getOrInsertComputed(data, () => new Backfill())
  const sources = sourcesOf(rows)
  if (change !== undefined || position !== undefined)
    return backfill.inPortions(sources, rows, store)
  const storeAll = () => store(rows, true)
  return backfill.includes(rows, door.now())
    ? [await backfill.whole(sources, rows.length, storeAll)]
    : [await backfill.live(sources, storeAll)]
}
