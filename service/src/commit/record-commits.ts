import type { Catalogue } from '../domain/site/catalogue.ts'
import type { RecordWriteOptions, ReplacedCounts, Storage } from '../storage/storage.ts'
import { KnownPlaces } from './known-places.ts'
import { RecordWrites } from './record-writes.ts'
import { completeWaveforms, toWaveformWrites } from './waveform-writes.ts'
import type { UnitOfWork, WaveformUnit } from './unit-of-work.ts'

/** Commits units of work; every record is stored through it. */
export interface RecordCommits {
  /** What is known of the places of records, for raw records that are completed before a commit. */
  readonly places: KnownPlaces

  /**
   * Commits a unit; throws a `ConflictError` when what it was computed from has changed: raw records that
   * it follows from (`records`), or what is stored at the places of its raw records (`places`).
   */
  records(catalogue: Catalogue, unit: UnitOfWork): Promise<ReplacedCounts>

  /**
   * Commits waveforms together; throws a `ConflictError` when a second was taken meanwhile (`rows`), or
   * something else is stored where station records go (`places`).
   */
  waveforms(
    catalogue: Catalogue,
    units: readonly WaveformUnit[],
    options: Pick<RecordWriteOptions, 'change'>,
  ): Promise<void>
}

/** Stores units of work as they are: nothing is evaluated. */
export function storingCommits({
  records,
  waveforms,
}: Pick<Storage, 'records' | 'waveforms'>): RecordCommits {
  const writes = new RecordWrites(records)
  return {
    places: writes.places,
    records: (catalogue, unit) => writes.write(catalogue, unit),
    async waveforms(catalogue, units, options) {
      const { rows } = await completeWaveforms(writes.places, catalogue, units)
      await waveforms.write(toWaveformWrites(units, rows), options)
    },
  }
}

/** Stores nothing: every unit succeeds. Of no place anything is known, so that all is looked up. */
export const dryCommits = ({ records }: Pick<Storage, 'records'>): RecordCommits => ({
  places: new KnownPlaces(records),
  records: () => Promise.resolve({ theme: { replaced: 0 }, raw: { replaced: 0 } }),
  waveforms: () => Promise.resolve(),
})
