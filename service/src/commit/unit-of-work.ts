import type {
  WaveformPlace,
  RecordKeys,
  NewWaveform,
  RecordWriteOptions,
} from '../storage/storage.ts'
import type { NewRecord, NewStationRecord } from './rows.ts'

/**
 * What one commit stores: all of it, with the alarm changes that the station records cause, or
 * nothing. Nobody is notified of alarms that are part of a `change`.
 */
export type UnitOfWork = Omit<RecordWriteOptions, 'alarms'> & {
  theme?: readonly NewStationRecord[]
  raw?: readonly NewRecord[]
}

/** A waveform at its place, with the station records computed from it, and those to delete. */
export type WaveformUnit = {
  waveform: NewWaveform
  place: WaveformPlace
  theme: readonly NewStationRecord[]
  deletions: RecordKeys
}
