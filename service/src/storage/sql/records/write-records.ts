import { rememberChange } from './remember-change.ts'
import { deleteMarks, writeMarks } from './marks.ts'
import type { CorrectedBatch, Corrections } from './corrections.ts'
import { basisGuards, markWriter } from './raw-revisions.ts'
import { dayCounts } from './record-days.ts'
import type { Dialect } from '../dialect.ts'
import type { SqlReader, SqlWriter } from '../engine.ts'
import { lockSources, type Outcome, type WriteExtras, type Statement } from '../statement.ts'
import { alarmGuards, alarmStatements } from '../alarm-writes.ts'
import { DELETE_EARLY } from '../early-records.ts'
import { setPosition } from '../positions.ts'
import { insertManualReadings } from '../manual-readings.ts'
import type {
  RecordBatch,
  RecordKind,
  RecordRows,
  RecordWriteOptions,
  ReplacedCounts,
} from '../../stores/records.ts'

export type RecordWriter = {
  corrections: Corrections
  writer: SqlWriter & Pick<SqlReader, 'dialect'>
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
  const write = (corrected: CorrectedBatch): Promise<ReplacedCounts> => {
    const { theme, raw } = corrected.rows
    const { dialect } = writer
    const ofTheme = recordInserts(dialect, 'theme', theme, { isEvaluated: alarms !== undefined })
    const ofRaw = recordInserts(dialect, 'raw', raw, { writer: number })
    const replacing = { marks, expected, deletions }
    const remembered = change === undefined ? [] : rememberChange(change, corrected, replacing)
    const before = [
      // One transaction at a time writes to an engine that is not remote.
      ...(dialect.isRemote ? locksOf(corrected, options) : []),
      ...guards,
      ...corrected.guards,
      ...(basis === undefined ? [] : basisGuards(basis, number)),
      ...(alarms === undefined ? [] : alarmGuards(alarms, dialect)),
      ...remembered,
    ]
    const changed = alarms === undefined ? [] : alarmStatements(alarms, dialect)
    const send = (ofAlarms: readonly Statement[]): Promise<Outcome[]> =>
      writer.write([
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
    // Without a promise it is sent at once: in the order in which writes were evaluated.
    const sent = changed instanceof Promise ? changed.then(send) : send(changed)
    return sent.then(replacedIn(before.length, ofTheme.length, ofRaw.length))
  }
  return corrections.write(batch, { deletions, expected }, write, attempts)
}

/**
 * Reads the outcomes of a write whose inserts follow `before` statements. It keeps nothing else of a
 * write that is under way: what young objects keep is copied by each collection of garbage.
 */
const replacedIn =
  (before: number, ofTheme: number, ofRaw: number) =>
  (outcomes: readonly Outcome[]): ReplacedCounts => {
    const replaced = (inserts: number, at: number): number =>
      inserts === 0 ? 0 : (outcomes[at]?.otherwise ?? 0)
    return {
      theme: { replaced: replaced(ofTheme, before) },
      raw: { replaced: replaced(ofRaw, before + ofTheme) },
    }
  }

/** The sources that a write changes, and the raw ones that it is computed from. */
function locksOf(
  { rows, removed }: CorrectedBatch,
  { marks, expected, deletions, basis }: RecordWriteOptions,
): Statement[] {
  const written = (kind: RecordKind): number[] => [
    ...[rows, marks, expected, deletions].flatMap((of) => of?.[kind]?.sources ?? []),
    ...removed.filter((one) => one.kind === kind).map(({ source }) => source),
  ]
  const raw = written('raw')
  const theme = written('theme')
  const own = new Set(raw)
  const read = basis?.raw.map(({ source }) => source).filter((source) => !own.has(source)) ?? []
  return [
    ...(raw.length === 0 ? [] : [lockSources('raw', raw)]),
    ...(read.length === 0 ? [] : [lockSources('raw', read, { isShared: true })]),
    ...(theme.length === 0 ? [] : [lockSources('theme', theme)]),
  ]
}

/** The same for the records that a set statement has replaced. */
const DELETE_EARLY_REPLACED = `, gone as (delete from early_records using written
  where early_records.source = written.source and early_records.time = written.time and is_replaced)`

/** Statements that insert records, and update those that exist: nearly every record is new. */
function recordInserts(
  dialect: Dialect,
  kind: RecordKind,
  rows: RecordRows | undefined,
  { writer, isEvaluated = false }: { writer?: number; isEvaluated?: boolean },
): Statement[] {
  if (rows === undefined || rows.times.length === 0) return []
  const { sources, times, records, areNew = false } = rows
  return [
    { ...recordInsert(kind, areNew, isEvaluated), columns: [sources, times, records] },
    dayCounts(dialect, kind, rows, writer),
  ]
}

const recordInsertsOf = new Map<string, Statement>()

/** The statement without its values. */
const recordInsert = (kind: RecordKind, areNew: boolean, isEvaluated: boolean): Statement =>
  recordInsertsOf.getOrInsertComputed(`${kind} ${areNew} ${isEvaluated}`, () =>
    buildRecordInsert(kind, areNew, isEvaluated),
  )

function buildRecordInsert(kind: RecordKind, areNew: boolean, isEvaluated: boolean): Statement {
  const newRows = `${kind}_records (source, time, record)`
  const into = `insert into ${newRows}`
  const insert = `${into} values (?, ?, ?) on conflict (source, time)`
  return {
    sql: `${insert} do nothing`,
    ...(areNew
      ? { mustInsert: true }
      : {
          otherwise: [
            `${insert} do update set record = excluded.record`,
            ...(isEvaluated ? [DELETE_EARLY] : []),
          ],
        }),
    width: 3,
    values: [],
    checked: { kind, as: 'records' },
    rowKey: ['source', 'time'],
    newRows,
    set: {
      sql: areNew
        ? `${into} select c1, c2, c3 from @given order by c1, c2`
        : `with written as (${into} select c1, c2, c3 from @given order by c1, c2
            on conflict (source, time) do update set record = excluded.record
            returning source, time, xmax <> 0 as is_replaced)
          ${isEvaluated ? DELETE_EARLY_REPLACED : ''}
          select count(*) filter (where not is_replaced), count(*) filter (where is_replaced)
            from written`,
      types: ['bigint', 'bigint', 'text'],
      ...(areNew ? {} : { key: 2, counts: true }),
    },
  }
}
