import { isConflict } from '../../../errors/conflict-error.ts'
import { holdChange, markUndone, requireUndoable } from './change-states.ts'
import { findMarks } from './marks.ts'
import { findRecord } from './read-lists.ts'
import { fingerprint } from './remember-change.ts'
import { guardPlace } from './stored-places.ts'
import { SealedRecords } from '../sealed-days/sealed-records.ts'
import type { SqlReader } from '../engine.ts'
import {
  listChangedWaveforms,
  deleteChangeWaveforms,
  restoreWaveform,
} from '../waveform-changes.ts'
import type { Tuple } from '../engine.ts'
import type { WriteExtras, Statement } from '../statement.ts'
import { fromJson } from '../from-json.ts'
import type { ChangeStore, UndoCounts } from '../../stores/changes.ts'
import type {
  MarkRows,
  RecordBatch,
  RecordKeys,
  RecordKind,
  RecordRows,
  RecordWriteOptions,
} from '../../stores/records.ts'

/** Writes records and what goes with them, all or none. */
export type WriteRecords = (
  batch: RecordBatch,
  options: RecordWriteOptions,
  beside: WriteExtras,
) => Promise<unknown>

/** Waveforms are large: a few of them are restored at once. */
export const WAVEFORMS_AT_ONCE = 16

const ATTEMPTS = 20

/** Undoes a part of a change: first its waveforms, each with its records, then the other records. */
export async function undoStep(
  { reader, write }: { reader: SqlReader; write: WriteRecords },
  id: number,
  { limit, now }: Parameters<ChangeStore['undo']>[1],
): ReturnType<ChangeStore['undo']> {
  for (let attempt = 1; ; attempt++) {
    const { plan, isDone } = await reader.snapshot(async (one) => {
      await requireUndoable(one, id)
      const found = new UndoPlan(one, id)
      const hasWaveforms = await found.addWaveforms(Math.min(limit, WAVEFORMS_AT_ONCE))
      return { plan: found, isDone: !hasWaveforms && (await found.addRows(limit)) < limit }
    })
    const { rows, marks, deletions, guards, records, waveforms, newest } = plan
    const statements = [...plan.statements, ...(isDone ? markUndone(id, now) : [])]
    try {
      const held = [holdChange(id), ...guards]
      await write(rows, { deletions, marks }, { guards: held, statements, attempts: 1 })
      return { ...records, waveforms, newest, isDone }
    } catch (error) {
      // Another writer changed the records or undid some of them meanwhile: they are read again.
      const isChanged = isConflict(error, 'rows', 'records')
      if (!isChanged || attempt === ATTEMPTS) throw error
    }
  }
}

type ChangedRecord = Tuple<
  'change_records',
  ['kind', 'source', 'time', 'written', 'previous', 'previous_marks']
>

const CHANGE_ROWS = `select kind, source, time, written, previous, previous_marks
  from change_records where change_id = ?`

const DELETE_ROW = {
  sql: `delete from change_records where change_id = ? and kind = ? and source = ? and time = ?`,
  width: 4,
  set: {
    sql: `delete from change_records using @given
      where change_id = c1 and kind = c2 and source = c3 and time = c4`,
    types: ['bigint', 'text', 'bigint', 'bigint'],
  },
} as const

const emptyKeys = (): RecordKeys => ({ sources: [], times: [] })
const emptyRows = (): RecordRows => ({ ...emptyKeys(), records: [] })
const emptyMarks = (): MarkRows => ({ ...emptyKeys(), marks: [] })

const guard = (table: string, column: string, values: unknown[]): Statement => ({
  ...guardPlace(table, column),
  values,
  guards: 'records',
})

/** The writes that undo a part of a change, found in one state of the data. */
class UndoPlan {
  readonly rows = { theme: emptyRows(), raw: emptyRows() }
  readonly deletions = { theme: emptyKeys(), raw: emptyKeys() }
  readonly marks = { theme: emptyMarks(), raw: emptyMarks() }
  readonly records: UndoCounts = { removed: 0, restored: 0, left: 0 }
  readonly waveforms: UndoCounts = { removed: 0, restored: 0, left: 0 }
  /** The newest instant of a record that is restored or deleted, by station. */
  readonly newest = new Map<number, number>()
  readonly #reader: SqlReader
  readonly #change: number
  readonly #sealed: Record<RecordKind, SealedRecords>
  readonly #waveformStatements: Statement[] = []
  readonly #done: ChangedRecord[] = []
  /** Source, time and open text of each record that is restored or deleted, by kind. */
  readonly #current: Record<RecordKind, unknown[]> = { theme: [], raw: [] }
  /** Source, time and marks of the same places. */
  readonly #currentMarks: Record<RecordKind, unknown[]> = { theme: [], raw: [] }

  constructor(reader: SqlReader, change: number) {
    this.#reader = reader
    this.#change = change
    this.#sealed = {
      theme: new SealedRecords('theme'),
      raw: new SealedRecords('raw'),
    }
  }

  /** Refuse the write where a record has changed since it was read. */
  get guards(): Statement[] {
    return (['theme', 'raw'] as const).flatMap((kind) => [
      guard(`${kind}_records`, 'record', this.#current[kind]),
      guard(`${kind}_marks`, 'marks', this.#currentMarks[kind]),
    ])
  }

  get statements(): Statement[] {
    const values = this.#done.flatMap(([kind, source, time]) => [this.#change, kind, source, time])
    const deletion = { ...DELETE_ROW, values, expected: this.#done.length }
    return [...this.#waveformStatements, deletion]
  }

  /** Adds at most `limit` waveforms with their records; false where there is none. */
  async addWaveforms(limit: number): Promise<boolean> {
    const waveforms = await this.#reader.all(listChangedWaveforms(this.#change, limit))
    for (const waveform of waveforms) {
      const { current, written, previous, is_taken } = waveform
      const isUnchanged = current === written && (previous === null || is_taken === 0)
      if (isUnchanged) this.#waveformStatements.push(...restoreWaveform(this.#change, waveform))
      const outcome = previous === null ? 'removed' : 'restored'
      this.waveforms[isUnchanged ? outcome : 'left']++
      for (const source of fromJson<number[]>(waveform.sources))
        await this.#addRecord(source, waveform.collect_time, isUnchanged)
    }
    this.#waveformStatements.push(deleteChangeWaveforms(this.#change, waveforms))
    return waveforms.length > 0
  }

  /** Adds at most `limit` records; returns how many there were. */
  async addRows(limit: number): Promise<number> {
    const sql = `${CHANGE_ROWS} order by kind, source, time limit ?`
    const rows = await this.#reader.rows<ChangedRecord>(sql, this.#change, limit)
    for (const row of rows) await this.#addRow(row, true)
    return rows.length
  }

  async #addRecord(source: number, time: number, isUnchanged: boolean): Promise<void> {
    const sql = `${CHANGE_ROWS} and kind = 'theme' and source = ? and time = ?`
    const row = await this.#reader.row<ChangedRecord>(sql, this.#change, source, time)
    if (row !== undefined) await this.#addRow(row, isUnchanged)
  }

  /** The records of a waveform that is left are left too, even if their text has not changed. */
  async #addRow(row: ChangedRecord, isUnchanged: boolean): Promise<void> {
    const [kind, source, time, written, previous, previousMarks] = row
    this.#done.push(row)
    const sealed = this.#sealed[kind]
    const { record, open = null } = await findRecord(this.#reader, sealed, kind, source, time)
    const marks = (await findMarks(this.#reader, kind, source, time)) ?? null
    if (!isUnchanged || fingerprint(record, marks) !== written) {
      this.records.left++
      return
    }
    this.#current[kind].push(source, time, open)
    this.#currentMarks[kind].push(source, time, marks)
    const wasEmpty = previous === null && previousMarks === null
    this.records[wasEmpty ? 'removed' : 'restored']++
    if (kind === 'theme') this.newest.set(source, Math.max(time, this.newest.get(source) ?? time))
    if (previous === null) addKey(this.deletions[kind], source, time)
    else if (previous !== record) {
      addKey(this.rows[kind], source, time)
      this.rows[kind].records.push(previous)
    }
    // A deletion takes the marks with it.
    if (previousMarks === marks && (previous !== null || marks === null)) return
    addKey(this.marks[kind], source, time)
    this.marks[kind].marks.push(previousMarks)
  }
}

function addKey(keys: RecordKeys, source: number, time: number): void {
  keys.sources.push(source)
  keys.times.push(time)
}
