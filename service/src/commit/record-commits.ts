import type { Catalogue } from '../domain/site/catalogue.ts'
import type {
  RecordBatch,
  RecordKind,
  ReplacedCount,
  Storage,
  RecordWriteOptions,
} from '../storage/storage.ts'
import { toColumns, toColumnsInSlices } from './rows.ts'
import type { UnitOfWork, WaveformUnit } from './unit-of-work.ts'

/** Commits units of work; every record is stored through it. */
export interface RecordCommits {
  /** Commits a unit; throws a `ConflictError` (`records`) when what it was computed from has changed. */
  records(catalogue: Catalogue, unit: UnitOfWork): Promise<Record<RecordKind, ReplacedCount>>

  /** Commits waveforms together; throws a `ConflictError` (`rows`) when a place was taken meanwhile. */
  waveforms(
    catalogue: Catalogue,
    units: readonly WaveformUnit[],
    options: Pick<RecordWriteOptions, 'change'>,
  ): Promise<void>
}

export async function toRecordBatch({ theme = [], raw = [] }: UnitOfWork): Promise<RecordBatch> {
  return { theme: await toColumnsInSlices(theme), raw: await toColumnsInSlices(raw) }
}

export const toWaveformWrites = (units: readonly WaveformUnit[]) =>
  units.map(({ waveform, place, theme, deletions }) => ({
    waveform,
    place,
    records: { ...toColumns(theme), deletions },
  }))

/** Stores units of work as they are: nothing is evaluated. */
export function storingCommits({
  records: data,
  waveforms,
}: Pick<Storage, 'records' | 'waveforms'>): RecordCommits {
  return {
    async records(_catalogue, unit) {
      const { theme: _theme, raw: _raw, ...options } = unit
      return data.write(await toRecordBatch(unit), options)
    },
    waveforms: (_catalogue, units, options) => waveforms.write(toWaveformWrites(units), options),
  }
}

/** Stores nothing: every unit succeeds. */
export const dryCommits: RecordCommits = {
  records: () => Promise.resolve({ theme: { replaced: 0 }, raw: { replaced: 0 } }),
  waveforms: () => Promise.resolve(),
}
