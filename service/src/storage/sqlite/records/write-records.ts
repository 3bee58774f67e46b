import { rememberChange } from './remember-change.ts'
import { deleteMarks, writeMarks } from './marks.ts'
import type { CorrectedBatch, Corrections } from './corrections.ts'
import { basisGuards, markWriter } from './raw-revisions.ts'
import { dayCounts } from './record-days.ts'
import type { Writer } from '../connection/writer.ts'
import type { WriteExtras, Statement } from '../../sql/statement.ts'
import { alarmGuards, alarmStatements } from '../../sql/alarm-writes.ts'
import { DELETE_EARLY } from '../../sql/early-records.ts'
import { setPosition } from '../../sql/positions.ts'
import { insertManualReadings } from '../../sql/manual-readings.ts'
import type {
  RecordBatch,
  RecordKind,
  RecordRows,
  RecordWriteOptions,
  ReplacedCounts,
} from '../../stores/records.ts'

export type RecordWriter = {
  corrections: Corrections
  writer: Writer
  /** A number that no other open storage has: it marks the raw records that this one writes. */
  number: number
}

/** Writes records, what goes with them, and extra statements: all or none. */
export function writeRecords(
  { corrections, writer, number }: RecordWriter,
  batch: RecordBatch,
  options: RecordWriteOptions,
  { guards = [], statements = [], attempts }: WriteExtras = {},
): Promise<ReplacedCounts> {
  const { deletions = {}, marks = {}, expected = {} } = options
  const { change, position, manualReadings = [], alarms, basis } = options
  const write = async (corrected: CorrectedBatch) => {
    const { theme, raw } = corrected.rows
    const whereReplaced = alarms === undefined ? [] : [DELETE_EARLY]
    const ofTheme = recordInserts('theme', theme, undefined, whereReplaced)
    const ofRaw = recordInserts('raw', raw, number)
    const remembered =
      change === undefined ? [] : rememberChange(change, corrected, { marks, expected, deletions })
    const before = [
      ...guards,
      ...corrected.guards,
      ...(basis === undefined ? [] : basisGuards(basis, number)),
      ...(alarms === undefined ? [] : alarmGuards(alarms)),
      ...remembered,
    ]
    const changed = alarms === undefined ? [] : alarmStatements(alarms)
    // Without a promise there is no await: writes are sent in the order in which they were evaluated.
    const ofAlarms = changed instanceof Promise ? await changed : changed
    const outcomes = await writer.write([
      ...before,
      ...ofTheme,
      ...ofRaw,
      ...corrected.removals,
      ...deleteMarks(deletions),
      ...writeMarks(marks),
      ...markWriter(deletions.raw, number),
      ...ofAlarms,
      ...(position === undefined ? [] : [setPosition(position.name, position.text)]),
      ...insertManualReadings(manualReadings),
      ...statements,
    ])
    const replacedAt = (inserts: readonly Statement[], at: number) => ({
      replaced: inserts.length === 0 ? 0 : (outcomes[before.length + at]?.otherwise ?? 0),
    })
    return { theme: replacedAt(ofTheme, 0), raw: replacedAt(ofRaw, ofTheme.length) }
  }
  return corrections.write(batch, { deletions, expected }, write, attempts)
}

/** Statements that insert records, and update those that exist: nearly every record is new. */
function recordInserts(
  kind: RecordKind,
  rows: RecordRows | undefined,
  writer?: number,
  whereReplaced: readonly string[] = [],
): Statement[] {
  if (rows === undefined || rows.times.length === 0) return []
  const insert = `insert into ${kind}_records (source, time, record) values (?, ?, ?)
    on conflict (source, time)`
  return [
    {
      sql: `${insert} do nothing`,
      ...(rows.areNew === true
        ? { mustInsert: true }
        : { otherwise: [`${insert} do update set record = excluded.record`, ...whereReplaced] }),
      width: 3,
      values: [],
      columns: [rows.sources, rows.times, rows.records],
      checked: { kind, as: 'records' },
    },
    dayCounts(kind, rows, writer),
  ]
}
