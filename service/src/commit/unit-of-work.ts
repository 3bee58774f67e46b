import type {
  BatchPlace,
  RecordKeys,
  RecordKind,
  VibrationBatch,
  WriteOptions,
} from '../storage/storage.ts'
import type { RecordRow, StationRow } from './rows.ts'

/**
 * What one commit stores: all of it, with what the station records mean for alarms, or nothing.
 * As part of a `change` nobody is notified of what they mean.
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
