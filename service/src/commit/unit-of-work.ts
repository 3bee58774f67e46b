import type {
  BatchPlace,
  RecordKeys,
  RecordKind,
  VibrationBatch,
  WriteOptions,
} from '../storage/storage.ts'
import type { RecordRow, StationRow } from './rows.ts'

/**
 * What one commit stores: all of it, with the alarm changes that the station records cause, or
 * nothing. Nobody is notified of alarms that are part of a `change`.
 */
export type UnitOfWork = Omit<WriteOptions, 'alarms' | 'gone'> & {
  theme?: readonly StationRow[]
  raw?: readonly RecordRow[]
  /** Records that are there no longer. */
  gone?: Partial<Record<RecordKind, RecordKeys>>
}

/** A waveform at its place, with the station records that follow from it and those that are gone. */
export type WaveformUnit = {
  batch: VibrationBatch
  place: BatchPlace
  theme: readonly StationRow[]
  gone: RecordKeys
}
