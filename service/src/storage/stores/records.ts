import type { HourSummary } from '../../domain/records/hour-summary.ts'
import type { HourQuery } from '../../domain/records/summarize-hours.ts'
import type { RecordList } from '../../domain/records/record-list.ts'
import type { AlarmUpdate } from './alarms.ts'
import type { ManualReading } from './manual-readings.ts'

export type RecordKind = 'theme' | 'raw'

/** What names records, in columns of equal length. */
export type RecordKeys = { sources: number[]; times: number[] }

/** Records in columns of equal length: source, instant and the text as it is served. */
export type RecordRows = RecordKeys & { records: string[] }

export type RecordBatch = Partial<Record<RecordKind, RecordRows>>

/** A source from one instant to another, both inclusive. */
export type RawSpan = Pick<RecordQuery, 'source' | 'from' | 'to'>

/** How the raw records of sources stood, by their days. */
export type RawRevisions = readonly {
  source: number
  first: number
  last: number
  days: readonly { day: number; revision: number; since: number }[]
}[]

/** What goes with a write of records, all of it or nothing. */
export type RecordWriteOptions = {
  /** Records that shall be there no longer; one that is not there is none the worse for it. */
  deletions?: Partial<Record<RecordKind, RecordKeys>> | undefined
  /** The change that this is part of: what was there before is remembered for `undo`. */
  change?: number | undefined
  /** How far the source has been read from which the records are. */
  position?: { name: string; text: string } | undefined
  /** Who measured records of the batch by hand; a reading that was sent twice is kept once. */
  manualReadings?: readonly ManualReading[] | undefined
  /** What the records mean for alarms. */
  alarms?: AlarmUpdate | undefined
  /**
   * The raw records that the write follows from: it is refused with a `ConflictError` (`records`) where somebody
   * has written any since. With `allowsOwnWrites`, whatever came through this same storage is let pass.
   */
  basis?: { raw: RawRevisions; allowsOwnWrites: boolean } | undefined
}

/** Text kept compressed: raw DEFLATE that ends at a byte's edge, its last block not marked last. */
export type DeflatedText = {
  deflated: Uint8Array
  /** Bytes of the text, and their CRC-32. */
  length: number
  crc: number
}

/** Records as JSON text joined by commas, as it is or compressed. */
export type RecordsChunk = Uint8Array | DeflatedText

export type RecordQuery = {
  kind: RecordKind
  /** Station id, or the number of a sensor. */
  source: number
  /** First and last instant, both inclusive. */
  from: number
  to: number
  /** The newest so many, newest first; left out: all, ascending. */
  newest?: number
  /** `flat`: `{"strain":1,"time":"…"}`; `nested`: `{"values":{"strain":1},"time":"…"}`. */
  shape: 'flat' | 'nested'
}

/** Records of a source from one instant to another, both inclusive. */
export type RecordSpan = Pick<RecordQuery, 'kind' | 'source' | 'from' | 'to'>

export type { HourQuery }

/** Open records from an instant on; those that are damaged are not counted. */
export type InspectedRecords = { source: number; start: number; records: number; damage?: string }

/** Pieces that are read are given away: nobody else looks at their memory. */
export interface RecordStore {
  /** Stores all rows or none; a row replaces an earlier one of the same source and instant. */
  write(batch: RecordBatch, options?: RecordWriteOptions): Promise<ReplacedCounts>

  /** Yields records as JSON text joined by commas, in pieces that themselves join by a comma. */
  read(query: RecordQuery): AsyncIterable<Uint8Array>

  /** The same of flat records, sealed days in the compressed bytes in which they are kept. */
  readDeflated(query: RecordQuery & { shape: 'flat' }): AsyncIterable<RecordsChunk>

  /**
   * Yields the local hours that have records in the window, ascending, each once.
   *
   * An hour that lies in it partly is summed up of those records only that are in the window.
   */
  readHours(query: HourQuery): AsyncIterable<HourSummary>

  /** Yields records with their instants, oldest first, some thousand at a time. */
  readLists(span: RecordSpan): AsyncIterable<RecordList>

  /** How raw records stand, to be noted before they are read; a `basis` for what follows from them. */
  readRawRevisions(spans: readonly RawSpan[]): Promise<RawRevisions>

  /**
   * Yields what was checked of all open records, some that lie side by side at a time: how many they
   * are, or what is wrong with them.
   */
  inspect(kind: RecordKind): AsyncIterable<InspectedRecords>

  /**
   * The instant of the newest record of each source up to a horizon; `null` where there is none.
   * Records of stations that are early count once they have been evaluated.
   */
  findNewest(
    kind: RecordKind,
    sources: readonly number[],
    horizon: number,
  ): Promise<(number | null)[]>
}

export type ReplacedCount = { replaced: number }

export type ReplacedCounts = Record<RecordKind, ReplacedCount>
