import { isConflict } from '../../../errors/conflict-error.ts'
import { crc32 } from 'node:zlib'
import { lookUp } from './read-lists.ts'
import type { Reader } from '../connection/reader.ts'
import {
  listChangedWaveforms,
  deleteChangeWaveforms,
  restoreWaveform,
} from '../../sql/waveform-changes.ts'
import type { ExtraStatements, Statement, Tuple } from '../../sql/engine.ts'
import { fromJson } from '../../sql/json-text.ts'
import type {
  ChangeStore,
  RecordBatch,
  RecordKeys,
  RecordKind,
  RecordRows,
  UndoCounts,
  RecordWriteOptions,
} from '../../storage.ts'

/** Writes records and what goes with them. */
export type Write = (
  batch: RecordBatch,
  options: RecordWriteOptions,
  beside: ExtraStatements,
) => Promise<unknown>

/** Waveforms are large: so many of them go at once. */
export const WAVEFORMS_AT_ONCE = 16

const ATTEMPTS = 20

/** By what a record is known again. */
export const fingerprint = (text: string | undefined): number | null =>
  text === undefined ? null : crc32(text)

/** Undoes some of a change: first its waveforms, each with its records, then the other records. */
export async function undoStep(
  { reader, write }: { reader: Reader; write: Write },
  id: number,
  { limit, now }: Parameters<ChangeStore['undo']>[1],
): ReturnType<ChangeStore['undo']> {
  for (let attempt = 1; ; attempt++) {
    const plan = new UndoPlan(reader, id)
    const hasWaveforms = plan.addWaveforms(Math.min(limit, WAVEFORMS_AT_ONCE))
    const isDone = !hasWaveforms && plan.addRows(limit) < limit
    const { rows, deletions, guards, records, waveforms, newest } = plan
    const statements = [...plan.statements, ...(isDone ? [markUndone(id, now)] : [])]
    try {
      await write(rows, { deletions }, { guards, statements, attempts: 1 })
      return { ...records, waveforms, newest, isDone }
    } catch (error) {
      // Somebody has written meanwhile: what is there now is looked at anew.
      const isOvertaken = isConflict(error, 'rows', 'records')
      if (!isOvertaken || attempt === ATTEMPTS) throw error
    }
  }
}

type ChangeRow = Tuple<'change_records', ['kind', 'source', 'time', 'written', 'previous']>

const CHANGE_ROWS = `select kind, source, time, written, previous from change_records where change_id = ?`

const FORGET_ROW = `delete from change_records
  where change_id = ? and kind = ? and source = ? and time = ?`

const markUndone = (id: number, now: number): Statement => ({
  sql: `update changes set undone_at = ? where id = ?`,
  width: 2,
  values: [now, id],
})

const emptyKeys = (): RecordKeys => ({ sources: [], times: [] })
const emptyRows = (): RecordRows => ({ ...emptyKeys(), records: [] })

/** What has to be written to undo some of a change. */
class UndoPlan {
  readonly rows = { theme: emptyRows(), raw: emptyRows() }
  readonly deletions = { theme: emptyKeys(), raw: emptyKeys() }
  readonly records: UndoCounts = { restored: 0, left: 0 }
  readonly waveforms: UndoCounts = { restored: 0, left: 0 }
  /** By station, of its records that are put back or taken away. */
  readonly newest = new Map<number, number>()
  readonly #reader: Reader
  readonly #change: number
  readonly #ofWaveforms: Statement[] = []
  readonly #forgotten: ChangeRow[] = []
  /** Of each kind the source, time and open record of what is put back or taken away. */
  readonly #seen: Record<RecordKind, unknown[]> = { theme: [], raw: [] }

  constructor(reader: Reader, change: number) {
    this.#reader = reader
    this.#change = change
  }

  /** What was seen is still there: nothing that came meanwhile is overwritten. */
  get guards(): Statement[] {
    return (['theme', 'raw'] as const).map((kind) => ({
      sql: `select 1 where (select record from ${kind}_records where source = ? and time = ?) is ?`,
      width: 3,
      values: this.#seen[kind],
      guards: 'records',
    }))
  }

  get statements(): Statement[] {
    const values = this.#forgotten.flatMap(([kind, source, time]) => [
      this.#change,
      kind,
      source,
      time,
    ])
    return [...this.#ofWaveforms, { sql: FORGET_ROW, width: 4, values }]
  }

  /** Adds so many waveforms with their records; false when there is none. */
  addWaveforms(limit: number): boolean {
    const waveforms = this.#reader.all(listChangedWaveforms(this.#change, limit))
    for (const waveform of waveforms) {
      const { current, written, previous, is_taken } = waveform
      const isOurs = current === written && (previous === null || is_taken === 0)
      if (isOurs) this.#ofWaveforms.push(...restoreWaveform(this.#change, waveform))
      if (isOurs) this.waveforms.restored++
      else this.waveforms.left++
      for (const source of fromJson<number[]>(waveform.sources))
        this.#addRecord(source, waveform.collect_time, isOurs)
    }
    this.#ofWaveforms.push(deleteChangeWaveforms(this.#change, waveforms))
    return waveforms.length > 0
  }

  /** Adds so many records, and says how many there were. */
  addRows(limit: number): number {
    const sql = `${CHANGE_ROWS} order by kind, source, time limit ?`
    const rows = this.#reader.rows<ChangeRow>(sql, this.#change, limit)
    for (const row of rows) this.#addRow(row, true)
    return rows.length
  }

  #addRecord(source: number, time: number, isOurs: boolean): void {
    const sql = `${CHANGE_ROWS} and kind = 'theme' and source = ? and time = ?`
    const row = this.#reader.row<ChangeRow>(sql, this.#change, source, time)
    if (row !== undefined) this.#addRow(row, isOurs)
  }

  /** The record of a waveform that stays does so too, even if it is letter by letter the same. */
  #addRow(row: ChangeRow, isOurs: boolean): void {
    const [kind, source, time, written, previous] = row
    this.#forgotten.push(row)
    const { record, open = null } = lookUp(this.#reader, kind, source, time)
    if (!isOurs || fingerprint(record) !== written) {
      this.records.left++
      return
    }
    this.#seen[kind].push(source, time, open)
    this.records.restored++
    if (kind === 'theme') this.newest.set(source, Math.max(time, this.newest.get(source) ?? time))
    const keys = previous === null ? this.deletions[kind] : this.rows[kind]
    keys.sources.push(source)
    keys.times.push(time)
    if (previous !== null) this.rows[kind].records.push(previous)
  }
}
