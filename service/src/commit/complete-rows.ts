import { inSlices } from '../concurrency/in-slices.ts'
import type { RuleMark } from '../domain/alarms/station-rules.ts'
import {
  addRuleMarks,
  marksText,
  mergeValues,
  qualifiedValues,
  servedValues,
  type QualifiedValues,
} from '../domain/quality/qualified-values.ts'
import { recordKey, recordText } from '../domain/records/record-text.ts'
import type { CatalogueSensor } from '../domain/site/catalogue.ts'
import type {
  MarkRows,
  PlaceRows,
  RecordKeys,
  RecordRows,
  StoredPlace,
} from '../storage/storage.ts'
import type { NewRecord } from './rows.ts'

/** The station or sensor of a record: its items and its local time. */
export type Recorded = Pick<CatalogueSensor, 'itemIndex' | 'quotedKeys' | 'structure'>

/** A record with what was stored at its place, and the values that the place will hold. */
export type CompleteRow = {
  source: number
  time: number
  of: Recorded
  /** The text of the values where it is known and all are good. */
  record?: string
  qualified: QualifiedValues
  before: StoredPlace
  /** The index of the last record of the place among those that are evaluated. */
  step: number
}

/** What rules say about the values of records, by the index of the record. */
export type RuleVerdicts = ReadonlyMap<number, readonly RuleMark[]>

export const NO_VERDICTS: RuleVerdicts = new Map()

/**
 * Completes records by what is stored at their places. Records of one place become one row; `steps` are
 * the records as each leaves its place, which are evaluated one after the other. `met` counts the
 * records that met a stored one, also one whose values are all bad.
 */
export async function completeRows(
  rows: readonly NewRecord[],
  stored: readonly StoredPlace[],
  describe: (source: number) => Recorded,
): Promise<{ rows: CompleteRow[]; steps: NewRecord[]; met: number }> {
  const complete = new Map<string, CompleteRow>()
  const steps: NewRecord[] = []
  let met = 0
  await inSlices(rows, ({ source, time, record, isPart = false, ...row }, at) => {
    const of = describe(source)
    const place = `${source} ${time}`
    const earlier = complete.get(place)
    const before = earlier?.before ?? stored[at]
    if (before === undefined) throw new RangeError('each record must have its stored place')
    const values = row.values ?? qualifiedValues({ record, marks: null }, of).values
    const given = row.marks === undefined ? { values } : { values, marks: row.marks }
    if (!isEmpty(before)) met++
    if (earlier === undefined && isEmpty(before)) {
      const text = row.marks === undefined ? { record } : {}
      complete.set(place, { source, time, of, ...text, qualified: given, before, step: at })
      steps.push({ source, time, record, ...given })
      return
    }
    const known = earlier?.qualified ?? qualifiedValues(before, of)
    const qualified = mergeValues(known, given, { isPart })
    complete.set(place, { source, time, of, qualified, before, step: at })
    steps.push({ source, time, record, ...qualified })
  })
  return { rows: [...complete.values()], steps, met }
}

/** Stored records as rows that may be judged again. */
export const completeStored = (
  places: readonly { source: number; time: number }[],
  stored: readonly StoredPlace[],
  describe: (source: number) => Recorded,
): CompleteRow[] =>
  places.map(({ source, time }, step) => {
    const before = stored[step]
    if (before === undefined) throw new RangeError('each record must have its stored place')
    const of = describe(source)
    return { source, time, of, qualified: qualifiedValues(before, of), before, step }
  })

/** What a write has to store, to delete and to expect at the places of its rows. */
export type PlacedWrite = {
  rows: RecordRows
  deletions: RecordKeys
  marks: MarkRows
  expected: PlaceRows
}

/**
 * The columns of completed rows, with what rules say about their values. Where nothing was stored at any
 * place the records say so themselves, and only rows without a good value have to be expected to meet
 * nothing.
 */
export function toPlacedWrite(
  rows: readonly CompleteRow[],
  verdicts: RuleVerdicts = NO_VERDICTS,
): PlacedWrite {
  const write = emptyWrite(rows)
  for (const row of rows) addRow(write, judged(row, verdicts.get(row.step)))
  return write
}

/** The same without what rules say; other work runs meanwhile. */
export async function toPlacedWriteInSlices(rows: readonly CompleteRow[]): Promise<PlacedWrite> {
  const write = emptyWrite(rows)
  await inSlices(rows, (row) => addRow(write, row))
  return write
}

const emptyWrite = (rows: readonly CompleteRow[]): PlacedWrite => ({
  rows: { ...noKeys(), records: [], areNew: rows.every(({ before }) => isEmpty(before)) },
  deletions: noKeys(),
  marks: { ...noKeys(), marks: [] },
  expected: { ...noKeys(), stored: [] },
})

const NOTHING: StoredPlace = Object.freeze({ record: null, marks: null })

const isEmpty = ({ record, marks }: StoredPlace): boolean => record === null && marks === null

/** Records of places where nothing is stored, each of its own place. */
export const completeNew = (
  rows: readonly NewRecord[],
  describe: (source: number) => Recorded,
): CompleteRow[] =>
  rows.map(({ source, time, record, marks, ...row }, step) => {
    const of = describe(source)
    const values = row.values ?? qualifiedValues({ record, marks: null }, of).values
    const text = marks === undefined ? { record } : {}
    return { source, time, of, ...text, qualified: { values, marks }, before: NOTHING, step }
  })

function judged(row: CompleteRow, verdicts: readonly RuleMark[] | undefined): CompleteRow {
  if (verdicts === undefined) return row
  const { record: _good, qualified, ...rest } = row
  const marks = addRuleMarks(qualified.marks, verdicts)
  return { ...rest, qualified: { ...qualified, marks } }
}

function addRow(
  { rows, deletions, marks, expected }: PlacedWrite,
  { source, time, of, record, qualified, before }: CompleteRow,
): void {
  const text = record ?? textOf(qualified, of, time)
  if (text !== null) {
    addKey(rows, source, time)
    rows.records.push(text)
  } else if (before.record !== null) addKey(deletions, source, time)
  const marksNow = qualified.marks === undefined ? null : marksText(qualified, of)
  if (marksNow !== before.marks) {
    addKey(marks, source, time)
    marks.marks.push(marksNow)
  }
  if (rows.areNew === true && text !== null) return
  addKey(expected, source, time)
  expected.stored.push(before)
}

/** Whether a row would change what its place holds. */
export function isChanged({ time, of, qualified, before }: CompleteRow): boolean {
  const marks = qualified.marks === undefined ? null : marksText(qualified, of)
  return textOf(qualified, of, time) !== before.record || marks !== before.marks
}

function textOf(qualified: QualifiedValues, of: Recorded, time: number): string | null {
  const others = qualified.others ?? NO_OTHERS
  const served = servedValues(qualified)
  const values = [...of.quotedKeys.map((_key, place) => served[place]), ...others.values()]
  if (values.every((value) => value === undefined)) return null
  const keys =
    others.size === 0 ? of.quotedKeys : [...of.quotedKeys, ...others.keys().map(recordKey)]
  return recordText(keys, values, of.structure.zone.toLocal(time))
}

const NO_OTHERS: ReadonlyMap<string, number> = new Map()

const noKeys = (): RecordKeys => ({ sources: [], times: [] })

function addKey(keys: RecordKeys, source: number, time: number): void {
  keys.sources.push(source)
  keys.times.push(time)
}
