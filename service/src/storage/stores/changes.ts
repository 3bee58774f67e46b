import type { RecordKind } from './records.ts'

/** A change of many records at once. */
export type Change = {
  id: number
  kind: 'import' | 'recompute' | 'deletion'
  description: string
  startedAt: number
  /** `null`: it is under way, or it ended half way. */
  finishedAt: number | null
  undoneAt: number | null
  /** How many records it has changed that can be restored, vehicles among them, and how many waveforms. */
  records: number
  waveforms: number
}

/** What was put back, and what was left since somebody wrote it after the change. */
export type UndoCounts = { restored: number; left: number }

export type UndoStep = UndoCounts & {
  waveforms: UndoCounts
  /** The newest instant at which a record of a station was put back or taken away, by station. */
  newest: ReadonlyMap<number, number>
  isDone: boolean
}

/** What was there before a change, of every write that names it. */
export interface ChangeStore {
  /** Begins a change and gives its number. */
  begin(change: Pick<Change, 'kind' | 'description' | 'startedAt'>): Promise<number>

  finish(id: number, now: number): Promise<void>

  /** In the order in which they began. */
  list(): Promise<Change[]>

  /**
   * The instants at which a source had a record that the change took away or made another one, in
   * their order, some thousand at a time.
   */
  readReplacedTimes(id: number, kind: RecordKind, source: number): AsyncIterable<readonly number[]>

  /** How many waveforms and vehicles it took away. */
  countRemoved(id: number): Promise<{ waveforms: number; vehicles: number }>

  /**
   * Restores what a change replaced, and takes away what it added, so many records at a time.
   *
   * A record that somebody wrote since is left as it is, and so is a waveform with its records.
   * Done when nothing is left to restore.
   */
  undo(id: number, options: { limit: number; now: number }): Promise<UndoStep>

  /**
   * Forgets about so many records of changes that began before an instant; they stay as they are.
   * When nothing is left to forget the changes go, so many of them.
   */
  expire(before: number, limit: number): Promise<{ isDone: boolean; changes: number }>
}
