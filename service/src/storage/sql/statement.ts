import type { SampleChunks } from '../../domain/vibration/sample-chunks.ts'
import type { ConflictReason } from '../../errors/conflict-error.ts'
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
  /** The number of rows that must change; another number is a `ConflictError` of the write. */
  expected?: number
  /** The reason of that error; default: `rows`. */
  conflict?: ConflictReason
  /** `sql` is a query that must return a row for each row of values, or the write fails with this conflict. */
  guards?: ConflictReason
  /**
   * Of a guard whose rows are a source and an instant: a query with all sources and the smallest of the
   * instants. Where it returns no row, each of them passes.
   */
  passes?: string
  /** The same for all rows at once. Engines on the other side of a network run it in place of `sql`. */
  set?: SetStatement
  /**
   * The first columns, which identify a row: `sql` inserts one row of values, and one run may insert
   * several that differ in them.
   */
  rowKey?: readonly string[]
  /**
   * The table and its columns into which `sql` inserts rows that are nearly all new. An engine may copy
   * them there, and run `sql` where it meets one that exists.
   */
  newRows?: string
  /** How the values of rows with the same key become one, for each column behind the key. */
  sums?: readonly Summing[]
  /** `sql` returns the rows that it changed: their number counts. */
  countsRows?: boolean
  /** `sql` inserts one row, whose column `id` is the last id of the outcome. */
  givesId?: boolean
  /** What it does stays where the write is rolled back: it runs once all before it have succeeded. */
  isLasting?: boolean
  /** In place of `sql`: keeps the sources for this write until it is committed. */
  locks?: WriteLock
}

export type Summing = 'sum' | 'min' | 'max'

/**
 * A statement over a table `given` with the columns `c1`, `c2` and so on, which has the rows of values,
 * and `at`, their place; `@given` stands for it in a `from` or `using`.
 */
export type SetStatement = {
  sql: string
  types: readonly ('bigint' | 'text' | 'bytea' | 'double precision')[]
  /** The first columns that identify a row: of rows that agree in them only the last is given. */
  key?: number
  /** It returns one row with the numbers of an outcome: changed, otherwise. */
  counts?: boolean
}

/** Sources that a write changes, or from whose records it is computed and which nobody else may change. */
export type SourceLock = { kind: RecordKind; sources: readonly number[]; isShared: boolean }

/** Sources of records, or sources of alarms whose states a write is computed from. */
export type WriteLock = SourceLock | { kind: 'alarms'; sources: readonly string[] }

/**
 * Lets other writes of these sources wait until this one is committed. SQLite has one writer at a time,
 * and needs none.
 */
export const lockSources = (
  kind: RecordKind,
  sources: Iterable<number>,
  { isShared = false } = {},
): Statement => ({
  sql: '',
  width: 0,
  values: [],
  locks: { kind, sources: [...new Set(sources)].toSorted((a, b) => a - b), isShared },
})

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

/** The same for the alarm states of sources. */
export const lockAlarms = (sources: readonly string[]): Statement => ({
  sql: '',
  width: 0,
  values: [],
  locks: { kind: 'alarms', sources },
})
