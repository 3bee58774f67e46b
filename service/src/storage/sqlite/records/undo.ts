import { isConflict } from '../../../errors/conflict-error.ts'
import { crc32 } from 'node:zlib'
import { lookUp } from './read-lists.ts'
import type { Reader } from '../connection/reader.ts'
import {
  CHANGED_WAVEFORMS,
  deleteChangeWaveforms,
  restoreWaveform,
  type ChangedWaveform,
} from '../../sql/waveform-changes.ts'
import { type Beside, type Statement } from '../../sql/engine.ts'
import type {
  ChangeStore,
  RecordBatch,
  RecordKind,
  UndoCounts,
  RecordWriteOptions,
} from '../../storage.ts'

/** Writes records and what goes with them. */
export type Write = (
  batch: RecordBatch,
  options: RecordWriteOptions,
  beside: Beside,
) => Promise<unknown>

/** Waveforms are large: so many of them go at once. */
export const BATCHES_AT_ONCE = 16

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
    const hasBatches = plan.addBatches(Math.min(limit, BATCHES_AT_ONCE))
    const isDone = !hasBatches && plan.addRows(limit) < limit
    const { rows, gone, guards, records, batches, newest } = plan
    const further = [...plan.statements, ...(isDone ? [markUndone(id, now)] : [])]
    try {
      await write(rows, { deletions: gone }, { guards, further, attempts: 1 })
      return { ...records, waveforms: batches, newest, isDone }
    } catch (error) {
      // Somebody has written meanwhile: what is there now is looked at anew.
      const isOvertaken = isConflict(error, 'rows', 'records')
      if (!isOvertaken || attempt === ATTEMPTS) throw error
    }
  }
}

type ChangeRow = [
  kind: RecordKind,
  source: number,
  time: number,
  written: number | null,
  previous: string | null,
]

const CHANGE_ROWS = `select kind, source, time, written, previous from change_records where change_id = ?`

const FORGET_ROW = `delete from change_records
  where change_id = ? and kind = ? and source = ? and time = ?`

const markUndone = (id: number, now: number): Statement => ({
  sql: `update changes set undone_at = ? where id = ?`,
  width: 2,
  values: [now, id],
})

const emptyKeys = () => ({ sources: [] as number[], times: [] as number[] })
const emptyRows = () => ({ ...emptyKeys(), records: [] as string[] })

/** What has to be written to undo some of a change. */
class UndoPlan {
  readonly rows = { theme: emptyRows(), raw: emptyRows() }
  readonly gone = { theme: emptyKeys(), raw: emptyKeys() }
  readonly records: UndoCounts = { restored: 0, left: 0 }
  readonly batches: UndoCounts = { restored: 0, left: 0 }
  /** By station, of its records that are put back or taken away. */
  readonly newest = new Map<number, number>()
  readonly #reader: Reader
  readonly #change: number
  readonly #ofBatches: Statement[] = []
  readonly #forgotten: ChangeRow[] = []
  /** Of each kind the source, time and open record of what is put back or taken away. */
  readonly #seen = { theme: [] as unknown[], raw: [] as unknown[] }

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
    return [...this.#ofBatches, { sql: FORGET_ROW, width: 4, values }]
  }

  /** Adds so many waveforms with their records; false when there is none. */
  addBatches(limit: number): boolean {
    const parameters = [this.#change, limit]
    const batches = this.#reader.all<ChangedWaveform>({ sql: CHANGED_WAVEFORMS, parameters })
    for (const batch of batches) {
      const isOurs =
        batch.current === batch.written && (batch.previous === null || batch.isTaken === 0)
      if (isOurs) this.#ofBatches.push(...restoreWaveform(this.#change, batch))
      if (isOurs) this.batches.restored++
      else this.batches.left++
      for (const source of JSON.parse(batch.sources) as number[])
        this.#addRecord(source, batch.collectTime, isOurs)
    }
    this.#ofBatches.push(deleteChangeWaveforms(this.#change, batches))
    return batches.length > 0
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
    const keys = previous === null ? this.gone[kind] : this.rows[kind]
    keys.sources.push(source)
    keys.times.push(time)
    if (previous !== null) this.rows[kind].records.push(previous)
  }
}
