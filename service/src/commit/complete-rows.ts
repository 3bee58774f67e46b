import {
  addRuleMarks,
  marksText,
  mergeValues,
  qualifiedValues,
  servedValues,
  type QualifiedValues,
} from '../domain/quality/qualified-values.ts'
import type { Quality } from '../domain/quality/quality.ts'
import { recordText } from '../domain/records/record-text.ts'
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
}

/** What rules say about the quality of a value of a record, at its place among the items. */
export type RuleVerdict = Readonly<{ place: number; quality: Quality }>

/**
 * Completes records by what is stored at their places; records of one place become one. `met` counts
 * the records that met a stored or an earlier one.
 */
export function completeRows(
  rows: readonly NewRecord[],
  stored: readonly StoredPlace[],
  describe: (source: number) => Recorded,
): { rows: CompleteRow[]; met: number } {
  const complete = new Map<string, CompleteRow>()
  let met = 0
  for (const [at, { source, time, record, isPart = false, ...row }] of rows.entries()) {
    const of = describe(source)
    const place = `${source} ${time}`
    const earlier = complete.get(place)
    const before = earlier?.before ?? stored[at]
    if (before === undefined) throw new RangeError('each record must have its stored place')
    const isEmpty = before.record === null && before.marks === null
    const values = row.values ?? qualifiedValues({ record, marks: null }, of).values
    const given = row.marks === undefined ? { values } : { values, marks: row.marks }
    if (earlier !== undefined || before.record !== null) met++
    if (earlier === undefined && isEmpty) {
      const text = row.marks === undefined ? { record } : {}
      complete.set(place, { source, time, of, ...text, qualified: given, before })
      continue
    }
    const known = earlier?.qualified ?? qualifiedValues(before, of)
    const qualified = mergeValues(known, given, { isPart })
    complete.set(place, { source, time, of, qualified, before })
  }
  return { rows: [...complete.values()], met }
}

/** Adds what rules say about the values of a row. */
export function withVerdicts(row: CompleteRow, verdicts: readonly RuleVerdict[]): CompleteRow {
  if (verdicts.length === 0) return row
  const { values, marks } = row.qualified
  const { record: _record, ...rest } = row
  return { ...rest, qualified: { values, marks: addRuleMarks(marks, verdicts) } }
}

/** What a write has to store, to delete and to expect at the places of its rows. */
export type PlacedWrite = {
  rows: RecordRows
  deletions: RecordKeys
  marks: MarkRows
  expected: PlaceRows
}

/**
 * The columns of completed rows. With `areNew` nothing was stored at any place; only rows without a
 * good value are expected to meet nothing then, the records of the others say so themselves.
 */
export class PlacedWriteBuilder {
  readonly write: PlacedWrite
  readonly #areNew: boolean

  constructor(areNew: boolean) {
    this.#areNew = areNew
    this.write = {
      rows: { ...noKeys(), records: [], areNew },
      deletions: noKeys(),
      marks: { ...noKeys(), marks: [] },
      expected: { ...noKeys(), stored: [] },
    }
  }

  add({ source, time, of, record, qualified, before }: CompleteRow): void {
    const { rows, deletions, marks, expected } = this.write
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
    if (this.#areNew && text !== null) return
    addKey(expected, source, time)
    expected.stored.push(before)
  }
}

function textOf(qualified: QualifiedValues, of: Recorded, time: number): string | null {
  const values = servedValues(qualified)
  if (values.every((value) => value === undefined)) return null
  return recordText(of.quotedKeys, values, of.structure.zone.toLocal(time))
}

const noKeys = (): RecordKeys => ({ sources: [], times: [] })

function addKey(keys: RecordKeys, source: number, time: number): void {
  keys.sources.push(source)
  keys.times.push(time)
}
