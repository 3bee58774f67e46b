import type {
  WaveformPlace,
  RecordKeys,
  NewWaveform,
  RecordWriteOptions,
} from '../storage/storage.ts'
import type { PlacedWrite } from './complete-rows.ts'
import type { NewRecord } from './rows.ts'

/**
 * What one commit stores: all of it, with the alarm changes that the station records cause, or
 * nothing.
 */
export type UnitOfWork = Omit<RecordWriteOptions, 'alarms' | 'marks' | 'expected'> & {
  /** Station records, which are completed by what is stored at their places. */
  theme?: readonly NewRecord[]
  /** Station records that a person marks: completed already, and not evaluated. */
  marked?: PlacedWrite
  /** Raw records that are completed already. */
  raw?: PlacedWrite
  /** Whether alarms of the records are notified. Default: those of a `change` are not. */
  isNotified?: boolean
}

/** A waveform at its place, with the station records computed from it, and those to delete. */
export type WaveformUnit = {
  waveform: NewWaveform
  place: WaveformPlace
  theme: readonly NewRecord[]
  deletions: RecordKeys
}
