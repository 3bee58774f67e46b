import type {
  WaveformPlace,
  RecordKeys,
  NewWaveform,
  RecordWriteOptions,
} from '../storage/storage.ts'
import type { RecordRow, StationRow } from './rows.ts'

/**
 * What one commit stores: all of it, with what the station records mean for alarms, or nothing.
 * As part of a `change` nobody is notified of what they mean.
 */
export type UnitOfWork = Omit<RecordWriteOptions, 'alarms'> & {
  theme?: readonly StationRow[]
  raw?: readonly RecordRow[]
}

/** A waveform at its place, with the station records that follow from it and those that are gone. */
export type WaveformUnit = {
  waveform: NewWaveform
  place: WaveformPlace
  theme: readonly StationRow[]
  deletions: RecordKeys
}
