import type { SampleChunks } from '../../domain/vibration/sample-chunks.ts'
import type { RecordKind } from '../stores/records.ts'

/** A statement that runs once for every `width` values. */
export type Statement = {
  sql: string
  width: number
  values: readonly unknown[]
  /** The values as columns of the same length, in place of `values`. */
  columns?: readonly (readonly unknown[])[]
  /** The values as rows that are made a few at a time, in place of `values`. */
  rows?: { count: number; slice(from: number, to: number): readonly (readonly unknown[])[] }
  /**
   * Runs once for each chunk instead: with all of `values`, the index of the chunk, its checksum and
   * its bytes. Their memory is transferred to the writer, not copied, until the write has ended.
   */
  chunks?: SampleChunks
  /**
   * The open records that the statement changes, so that their checksums are changed too. The values
   * are records (source, instant, text), spans (source and two instants, both included), or anything
   * that names whole sources.
   */
  checked?: { kind: RecordKind; as: 'records' | 'spans' | 'sources' }
  /**
   * The row of values with which `sql` ends. It is repeated, so that one run inserts many rows:
   * triggers cost time for each run, not for each row. The rows must be independent of each other.
   */
  repeated?: string
  /** Statements that run with the same values where `sql` changed no row. */
  otherwise?: string | readonly string[]
  /** Each row of values must change a row; otherwise it is a `ConflictError` (`places`) of the write. */
  mustInsert?: boolean
  /** The number of rows that must change; another number is a `ConflictError` (`rows`) of the write. */
  expected?: number
  /** `sql` is a query that must return a row for each row of values, or the write fails with this conflict. */
  guards?: 'alarms' | 'records' | 'places'
}

/** Statements that run in the transaction of a write of records. */
export type WriteExtras = {
  /** They run first. */
  guards?: readonly Statement[]
  statements?: readonly Statement[]
  /** How often the write is tried where a sealed day changes meanwhile. */
  attempts?: number
}

/** The number of rows that `sql` and the first of `otherwise` changed, and the id of the last new row. */
export type Outcome = { changed: number; otherwise: number; lastId: number }

/** The id of the row that a statement inserted. */
export function newId(outcome: Outcome | undefined): number {
  if (outcome === undefined) throw new Error('an insert has no outcome')
  return outcome.lastId
}
