import type { SampleChunks } from '../../domain/vibration/sample-chunks.ts'
import type { Trigger } from '../../domain/vibration/trigger.ts'
import type { MarkRows, PlaceRows, RecordKeys, RecordRows, RecordWriteOptions } from './records.ts'

export type NewWaveform = {
  station: number
  /** The instant of the first sample. A waveform replaces an earlier one of the same station and trigger. */
  trigger: Trigger
  /** In Hz, as it is served. */
  sampleFreq: string
  unit: string
  /** The samples as numbers, or in the form in which they are stored. */
  samples: Float64Array | SampleChunks
}

export type StoredWaveform = {
  /** Never used twice, not even by a waveform that replaces another one. */
  id: number
  station: number
  /** The second by which clients request it; each waveform of a station has its own. */
  collectTime: number
  trigger: Trigger
  sampleFreq: string
  unit: string
  count: number
}

type WaveformQuery = {
  station: number
  /** First and last `collectTime`, both included. */
  from: number
  to: number
  /** The most waveforms that are listed, the newest ones. */
  limit: number
}

/**
 * The theme records that are stored with a waveform, those that are deleted, the marks, and what the
 * write expects at their places.
 */
export type WaveformRecords = RecordRows & {
  deletions?: RecordKeys
  marks?: MarkRows
  expected?: PlaceRows
}

export type WaveformPlace = {
  /** The second by which clients request the waveform. */
  collectTime: number
  /** Whether the waveform replaces an earlier one. */
  isReplacement: boolean
}

type WaveformWrite = {
  waveform: NewWaveform
  place: WaveformPlace
  records: WaveformRecords
}

/** The waveforms of a station from one `collectTime` to another, both included. */
type WaveformSpan = Pick<WaveformQuery, 'station' | 'from' | 'to'>

export interface WaveformStore {
  /**
   * Finds the place of each waveform: the second of its trigger or, where another waveform of the
   * station has this one, the first free second after it.
   */
  findPlaces(
    waveforms: readonly Pick<NewWaveform, 'station' | 'trigger'>[],
  ): Promise<WaveformPlace[]>

  /**
   * Stores waveforms at their places with the theme records that belong to them, all or none. Fails
   * with a `ConflictError` (`rows`) where a place is taken meanwhile.
   */
  write(
    writes: readonly WaveformWrite[],
    options?: Pick<RecordWriteOptions, 'alarms' | 'change'>,
  ): Promise<void>

  count(span: WaveformSpan): Promise<number>

  /**
   * Deletes some waveforms of a span, and the theme records of theirs, also of other stations; returns
   * how many, 0 when none is left. As part of a change they can be restored by `undo`.
   */
  removeSome(
    span: WaveformSpan & { withRecordsOf: readonly number[] },
    options: Pick<RecordWriteOptions, 'change'>,
  ): Promise<number>

  /** Finds the first waveform of a station with a `collectTime` between two instants. */
  find(station: number, from: number, to: number): Promise<StoredWaveform | undefined>

  findById(id: number): Promise<StoredWaveform | undefined>

  /** Lists waveforms, newest first. */
  list(query: WaveformQuery): Promise<StoredWaveform[]>

  /** Yields the samples in chunks; throws a `DamageError` where they are not those that were stored. */
  readSamples(waveform: Pick<StoredWaveform, 'id' | 'count'>): AsyncIterable<Float64Array>

  /** Reads every sample; yields each waveform, and its damage. */
  inspect(): AsyncIterable<{ waveform: StoredWaveform; damage?: string }>
}
