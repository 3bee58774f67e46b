import type { InspectedRecords, RecordKind, RecordQuery, RecordSpan } from '../stores/records.ts'

/**
 * How an engine finds damaged open records. Each check throws a `DamageError`, and reads the state of
 * the snapshot in which it is called.
 */
export interface RecordChecks {
  /**
   * Throws where the open records of a span are not those that were written. `text` has the records,
   * oldest first and joined by commas; a caller that uses their instants passes these too.
   */
  open(span: RecordSpan, text: Uint8Array | null, times?: readonly number[]): void

  /** Throws where an open record of a span lies on a day that is not among `days`, which ascend. */
  days(span: RecordSpan, days: readonly (readonly [day: number, ...unknown[]])[]): void

  /** The newest record of a query, where it is open and known to be whole without its neighbours. */
  newestOpen(query: RecordQuery): Uint8Array | undefined

  /** Checks all open records; yields the number of some consecutive ones at a time, or their damage. */
  inspect(kind: RecordKind): AsyncIterable<InspectedRecords>
}
