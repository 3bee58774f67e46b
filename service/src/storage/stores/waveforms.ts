import type { CutSamples } from '../../domain/vibration/cut-samples.ts'
import type { Trigger } from '../../domain/vibration/trigger.ts'
import type { RecordKeys, RecordRows, RecordWriteOptions } from './records.ts'

export type NewWaveform = {
  station: number
  /** Its first sample. A batch of the same station and trigger takes the place of an earlier one. */
  trigger: Trigger
  /** In Hz, as it is served. */
  sampleFreq: string
  unit: string
  /** Numbers, or the form in which they are kept. */
  samples: Float64Array | CutSamples
}

export type StoredWaveform = {
  /** No two batches ever have the same, not even one that took the place of another. */
  id: number
  station: number
  /** The whole second under which clients ask for it; each batch of a station has its own. */
  collectTime: number
  trigger: Trigger
  sampleFreq: string
  unit: string
  count: number
}

export type WaveformQuery = {
  station: number
  /** First and last `collectTime`, both inclusive. */
  from: number
  to: number
  /** The newest so many. */
  limit: number
}

/** Theme records that are there with a batch, and those that are there no longer. */
export type WaveformRecords = RecordRows & { deletions?: RecordKeys }

export type WaveformPlace = {
  /** The second under which the batch will be asked for. */
  collectTime: number
  /** Whether it takes the place of an earlier batch. */
  isReplacement: boolean
}

export type WaveformWrite = {
  waveform: NewWaveform
  place: WaveformPlace
  records: WaveformRecords
}

/** Batches of a station, by their `collectTime`, both inclusive. */
export type WaveformSpan = Pick<WaveformQuery, 'station' | 'from' | 'to'>

export interface WaveformStore {
  /**
   * Finds the place of each of some batches: the second of its trigger or, where the station has
   * another batch under that one, the first free second after it.
   */
  findPlaces(batches: readonly Pick<NewWaveform, 'station' | 'trigger'>[]): Promise<WaveformPlace[]>

  /**
   * Stores batches at their places with the theme records that belong to them, all or none. Refused
   * with a `ConflictError` (`rows`) where a place is no longer as it was found.
   */
  write(
    writes: readonly WaveformWrite[],
    options?: Pick<RecordWriteOptions, 'alarms' | 'change'>,
  ): Promise<void>

  count(span: WaveformSpan): Promise<number>

  /**
   * Removes some batches of a span, and of other stations too the theme records that belong to them;
   * gives how many, 0 when none is left. As part of a change they can be restored by `undo`.
   */
  removeSome(
    span: WaveformSpan & { withRecordsOf: readonly number[] },
    options: Pick<RecordWriteOptions, 'change'>,
  ): Promise<number>

  /** Finds the first batch of a station whose `collectTime` lies between two instants. */
  find(station: number, from: number, to: number): Promise<StoredWaveform | undefined>

  /** Finds a batch by its number. */
  findById(id: number): Promise<StoredWaveform | undefined>

  /** Lists batches, newest first. */
  list(query: WaveformQuery): Promise<StoredWaveform[]>

  /** Yields the samples in order, in pieces; throws a `DamageError` where they are not those that were stored. */
  readSamples(batch: Pick<StoredWaveform, 'id' | 'count'>): AsyncIterable<Float64Array>

  /** Reads every sample of every batch; yields each batch, with what is wrong with it. */
  inspect(): AsyncIterable<{ waveform: StoredWaveform; damage?: string }>
}
