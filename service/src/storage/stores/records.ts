import type { HourSummary } from '../../domain/records/hour-summary.ts'
import type { HourQuery } from '../../domain/records/summarize-hours.ts'
import type { RecordList } from '../../domain/records/record-list.ts'
import type { AlarmUpdate } from './alarms.ts'
import type { ManualReading } from './manual-readings.ts'

export type RecordKind = 'theme' | 'raw'

/** Sources and instants of records, in columns of equal length. */
export type RecordKeys = { sources: number[]; times: number[] }

/** Records in columns of equal length: sources, instants and texts as they are served. */
export type RecordRows = RecordKeys & {
  records: string[]
  /**
   * Whether nothing may be stored at the places of these records yet, neither a record nor marks. A write
   * that meets something fails with a `ConflictError` (`places`).
   */
  areNew?: boolean
}

/** Marks of the values of records in columns, as JSON texts; `null` where there are to be none. */
export type MarkRows = RecordKeys & { marks: (string | null)[] }

/** What is stored at a place, the source and instant of a record; `null` for nothing. */
export type StoredPlace = { record: string | null; marks: string | null }

/** What was stored at some places, in columns. */
export type PlaceRows = RecordKeys & { stored: StoredPlace[] }

/** Marks of records with their instants, ascending. */
export type MarkList = { times: number[]; marks: string[] }

export type RecordBatch = Partial<Record<RecordKind, RecordRows>>

/** Raw records of a source from one instant to another, both included. */
export type RawSpan = Pick<RecordQuery, 'source' | 'from' | 'to'>

/** The revisions of raw records of sources, by their days. */
export type RawRevisions = readonly {
  source: number
  first: number
  last: number
  days: readonly { day: number; revision: number; since: number }[]
}[]

/** What is stored with records in one transaction. */
export type RecordWriteOptions = {
  /** Records to delete with their marks; those that do not exist are ignored. */
  deletions?: Partial<Record<RecordKind, RecordKeys>> | undefined
  /** Marks of values, also at places where no value is good and there is no record. */
  marks?: Partial<Record<RecordKind, MarkRows>> | undefined
  /**
   * What the write was computed from: it fails with a `ConflictError` (`places`) where anything else is
   * stored at one of these places.
   */
  expected?: Partial<Record<RecordKind, PlaceRows>> | undefined
  /** The change that the write is part of: the records that it replaces are kept for `undo`. */
  change?: number | undefined
  /** How far the watched file of the records has been read. */
  position?: { name: string; text: string } | undefined
  /** Manual readings among the records; a reading that was sent twice is kept once. */
  manualReadings?: readonly ManualReading[] | undefined
  /** The changes of alarms that follow from the records. */
  alarms?: AlarmUpdate | undefined
  /**
   * The raw records that the write follows from: it fails with a `ConflictError` (`records`) where any
   * was written since. With `allowsOwnWrites`, writes through this storage are allowed.
   */
  basis?: { raw: RawRevisions; allowsOwnWrites: boolean } | undefined
}

/** Compressed text: raw DEFLATE that ends at a byte boundary and has no final block. */
export type DeflatedText = {
  deflated: Uint8Array
  /** The length of the text in bytes, and its CRC-32. */
  length: number
  crc: number
}

/** Records as JSON text joined by commas, plain or compressed. */
export type RecordsChunk = Uint8Array | DeflatedText

export type RecordQuery = {
  kind: RecordKind
  /** The id of a station, or the key of a sensor. */
  source: number
  /** First and last instant, both included. */
  from: number
  to: number
  /** The number of newest records, newest first; without it all records, oldest first. */
  newest?: number
  /** `flat`: `{"strain":1,"time":"…"}`; `nested`: `{"values":{"strain":1},"time":"…"}`. */
  shape: 'flat' | 'nested'
}

/** Records of a source from one instant to another, both included. */
export type RecordSpan = Pick<RecordQuery, 'kind' | 'source' | 'from' | 'to'>

export type { HourQuery }

/** Open records from an instant on that were checked; damaged ones are not counted. */
export type InspectedRecords = { source: number; start: number; records: number; damage?: string }

/** The open days that this process keeps compressed, and how often it needed them. */
export type KeptOpenDays = {
  bytes: number
  /** Portions of responses that were kept, and days of which records were read. */
  hits: number
  misses: number
}

/** The memory of chunks that are read belongs to the caller. */
export interface RecordStore {
  /** Stores all rows or none; a row replaces an earlier one of the same source and instant. */
  write(batch: RecordBatch, options?: RecordWriteOptions): Promise<ReplacedCounts>

  /** Yields records as JSON text joined by commas, in chunks that are to be joined by commas too. */
  read(query: RecordQuery): AsyncIterable<Uint8Array>

  /** The same in flat shape, with whole sealed parts in their compressed bytes. */
  readDeflated(query: RecordQuery & { shape: 'flat' }): AsyncIterable<RecordsChunk>

  /** What is kept of open days for `readDeflated`. */
  measureKept(): KeptOpenDays

  /**
   * Yields the summaries of local hours with records in the window, ascending, each once.
   *
   * An hour that is partly in the window is a summary of the records in the window.
   */
  readHours(query: HourQuery): AsyncIterable<HourSummary>

  /** Yields records with their instants, oldest first, some thousand at a time. */
  readLists(span: RecordSpan): AsyncIterable<RecordList>

  /** Yields the marks of a span, also those at places without a record; some thousand at a time. */
  readMarks(span: RecordSpan): AsyncIterable<MarkList>

  /** What is stored at some places, in their order. */
  findStored(kind: RecordKind, places: RecordKeys): Promise<StoredPlace[]>

  /** The last instant at which a record or marks of each source are stored; `null` where there is none. */
  findLast(kind: RecordKind, sources: readonly number[]): Promise<(number | null)[]>

  /** The revisions of raw records. Read before the records, they are the `basis` of a later write. */
  readRawRevisions(spans: readonly RawSpan[]): Promise<RawRevisions>

  /**
   * Checks all open records. Yields the number of some consecutive records at a time, or their damage.
   */
  inspect(kind: RecordKind): AsyncIterable<InspectedRecords>

  /**
   * The instant of the newest record of each source up to a horizon; `null` where there is none.
   * Early records of stations count after their evaluation.
   */
  findNewest(
    kind: RecordKind,
    sources: readonly number[],
    horizon: number,
  ): Promise<(number | null)[]>

  /**
   * The usual distance of the records of each source up to a horizon, in milliseconds: the median of the
   * distances of the newest ones; undefined where there are too few.
   */
  findUsualIntervals(
    kind: RecordKind,
    sources: readonly number[],
    horizon: number,
  ): Promise<(number | undefined)[]>
}

export type ReplacedCount = { replaced: number }

export type ReplacedCounts = Record<RecordKind, ReplacedCount>
