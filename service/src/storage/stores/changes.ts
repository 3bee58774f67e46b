import type { RecordKind } from './records.ts'

/** A change of many records at once. */
export type Change = {
  id: number
  kind: 'import' | 'recompute' | 'deletion' | 'rewrite' | 'marking' | 'reading'
  description: string
  startedAt: number
  /** `null`: it is running, or was interrupted. */
  finishedAt: number | null
  undoneAt: number | null
  /** The numbers of records, traffic records included, and of waveforms that can be restored. */
  records: number
  waveforms: number
}

/**
 * How many that the change added were removed, how many that it replaced or deleted were restored, and
 * how many were left because they were written again after the change.
 */
export type UndoCounts = { removed: number; restored: number; left: number }

export type UndoStep = UndoCounts & {
  waveforms: UndoCounts
  /** The newest instant of a restored or deleted record, by station. */
  newest: ReadonlyMap<number, number>
  isDone: boolean
}

/** Keeps the records that each change replaced, for `undo`. */
export interface ChangeStore {
  /** Begins a change; returns its id. */
  begin(change: Pick<Change, 'kind' | 'description' | 'startedAt'>): Promise<number>

  finish(id: number, now: number): Promise<void>

  /** A rewriting that has begun and is neither finished nor undone: some records are rewritten. */
  findRewriting(): Promise<Pick<Change, 'id' | 'description'> | undefined>

  /** Makes a finished change one that is not, before its records are undone. */
  reopen(id: number): Promise<void>

  /** The changes that could restore records of some sources; no rewriting that is not finished. */
  findRestoring(kind: RecordKind, sources: readonly number[]): Promise<number[]>

  /**
   * The newest later change that wrote at a place of this one and is not undone: what it wrote would keep
   * this one from being undone there.
   */
  findLater(id: number): Promise<number | undefined>

  /** All changes in the order in which they began. */
  list(): Promise<Change[]>

  /**
   * Yields the instants of the records of a source that the change deleted or replaced, ascending,
   * some thousand at a time; those without a good value too.
   */
  readReplacedTimes(id: number, kind: RecordKind, source: number): AsyncIterable<readonly number[]>

  /** Counts the waveforms and traffic records that the change deleted. */
  countRemoved(id: number): Promise<{ waveforms: number; vehicles: number }>

  /**
   * Restores the records that a change replaced and deletes those that it added, at most `limit`.
   *
   * A record that was written again since is left as it is, and so is a waveform with its records.
   * `isDone` when nothing is left to restore. Several may undo a change at once: each record is restored
   * by one of them. A change that was undone, or expires, is a `RefusedError`.
   */
  undo(id: number, options: { limit: number; now: number }): Promise<UndoStep>

  /**
   * Deletes about `limit` entries of changes that began before an instant. From the first call on none of
   * them can be undone, and none is listed; a rewriting that is not finished stays. After the last entries it deletes the changes themselves, and returns how many.
   */
  expire(before: number, limit: number): Promise<{ isDone: boolean; changes: number }>
}
