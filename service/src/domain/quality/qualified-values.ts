import { TIME_SUFFIX_LENGTH } from '../records/record-text.ts'
import { pickValues, type RecordMembers } from '../records/record-values.ts'
import { QUALITY_CLASSES, type Mark, type MarkOrigin, type Marks, type Quality } from './quality.ts'

/**
 * The values of a record in the order of the items, as they were measured: bad ones are among them.
 * Without `marks` all of them are good.
 */
export type QualifiedValues = Readonly<{
  values: readonly (number | undefined)[]
  marks?: Marks | undefined
  /** Stored values of items that the site has no more, by key. */
  others?: ReadonlyMap<string, number> | undefined
}>

/** The text of a record and the text of its marks, as they are stored. */
type StoredTexts = Readonly<{ record: string | null; marks: string | null }>

type Items = Readonly<{ itemIndex: ReadonlyMap<string, number> }>

/** Marks by item key, as they are stored. */
export type StoredMarks = Readonly<Record<string, StoredMark>>

/** A mark with the number of a bad value, which the record leaves out. */
export type StoredMark = Mark & Readonly<{ value?: number }>

/** The values that are served: without bad ones. */
export function servedValues({ values, marks }: QualifiedValues): readonly (number | undefined)[] {
  if (marks === undefined) return values
  return values.map((value, place) => (marks[place]?.quality === 'bad' ? undefined : value))
}

/** The marks of a record as JSON, `null` without marks. */
export function marksText(
  { values, marks = [] }: QualifiedValues,
  { itemIndex }: Items,
): string | null {
  const stored: [key: string, mark: object][] = []
  for (const [key, place] of itemIndex) {
    const [value, mark] = [values[place], marks[place]]
    if (mark === undefined || value === undefined) continue
    const { quality, reason, origin } = mark
    stored.push([key, { quality, reason, origin, ...(quality === 'bad' ? { value } : {}) }])
  }
  // Not by assignment: a key may be `__proto__`.
  return stored.length === 0 ? null : JSON.stringify(Object.fromEntries(stored))
}

/** The values and marks of a stored record. A bad mark of a value that is served is void. */
export function qualifiedValues({ record, marks }: StoredTexts, items: Items): QualifiedValues {
  const { itemIndex } = items
  const { values, others }: ReturnType<typeof readValues> =
    record === null ? { values: [], others: undefined } : readValues(record, itemIndex)
  if (marks === null) return { values, others }
  const found: (Mark | undefined)[] = []
  for (const [key, { value, ...mark }] of Object.entries(parseMarks(marks))) {
    const place = itemIndex.get(key)
    if (place === undefined) continue
    if (mark.quality === 'bad') {
      if (values[place] !== undefined || value === undefined) continue
      values[place] = value
    }
    found[place] = mark
  }
  return { values, marks: found, others }
}

/**
 * The values of a stored record. One that cannot be read has none: a damaged record must not keep the
 * records that come after it from being stored, and its checksum still tells of it.
 */
function readValues(
  record: string,
  itemIndex: ReadonlyMap<string, number>,
): { values: (number | undefined)[]; others: QualifiedValues['others'] } {
  // Without the time, which an item may be called as well.
  const members = parseObject(`${record.slice(0, -TIME_SUFFIX_LENGTH)}}`)
  const others = Object.entries(members).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && !itemIndex.has(entry[0]),
  )
  return {
    values: pickValues(members, itemIndex),
    others: others.length === 0 ? undefined : new Map(others),
  }
}

/** Parses stored marks; what cannot be read is left out. */
export function parseMarks(text: string): StoredMarks {
  const given = parseObject(text)
  return Object.fromEntries(
    Object.entries(given).flatMap(([key, one]) => {
      const mark = readMark(one)
      return mark === undefined ? [] : [[key, mark]]
    }),
  )
}

function parseObject(text: string): RecordMembers {
  try {
    const given: unknown = JSON.parse(text)
    return isMembers(given) ? given : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

const isMembers = (given: unknown): given is RecordMembers =>
  typeof given === 'object' && given !== null && !Array.isArray(given)

const ORIGINS: readonly MarkOrigin[] = ['sender', 'rule', 'person', 'input']

function readMark(given: unknown): StoredMark | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const { quality, reason, origin, value }: Record<string, unknown> = { ...given }
  const known = QUALITY_CLASSES.find((one) => one === quality)
  const from = ORIGINS.find((one) => one === origin)
  if (known === undefined || from === undefined || typeof reason !== 'string') return undefined
  const mark = { quality: known, reason, origin: from }
  return typeof value === 'number' ? { ...mark, value } : mark
}

/**
 * What a place holds after a record came to it. With `isPart` the values that the record does not name
 * stay. The mark of a person stays with its value, whatever comes; that of a rule while the number stays.
 */
export function mergeValues(
  stored: QualifiedValues,
  given: QualifiedValues,
  { isPart }: { isPart: boolean },
): QualifiedValues {
  const length = Math.max(stored.values.length, given.values.length)
  const values: (number | undefined)[] = []
  const marks: (Mark | undefined)[] = []
  for (let place = 0; place < length; place++) {
    const before = { value: stored.values[place], mark: stored.marks?.[place] }
    const value = given.values[place]
    if (value === undefined) {
      values.push(isPart ? before.value : undefined)
      marks.push(isPart ? before.mark : undefined)
      continue
    }
    values.push(value)
    marks.push(keepsMark(before, value) ? before.mark : given.marks?.[place])
  }
  const others = isPart ? stored.others : undefined
  return marks.every((mark) => mark === undefined) ? { values, others } : { values, marks, others }
}

function keepsMark(
  { value, mark }: { value: number | undefined; mark: Mark | undefined },
  given: number,
): boolean {
  return mark?.origin === 'person' || (mark?.origin === 'rule' && value === given)
}

/** Adds what rules say to the marks of a record; the mark of a person stays, and of two the worse holds. */
export function addRuleMarks(
  marks: Marks | undefined,
  verdicts: readonly Readonly<{ place: number; quality: Omit<Mark, 'origin'> }>[],
): Marks {
  const all = [...(marks ?? [])]
  for (const { place, quality } of verdicts) {
    const before = all[place]
    if (before?.origin === 'person') continue
    const mark: Mark = { ...quality, origin: 'rule' }
    const isWorse =
      before === undefined ||
      QUALITY_CLASSES.indexOf(before.quality) <= QUALITY_CLASSES.indexOf(mark.quality)
    if (isWorse) all[place] = mark
  }
  return all
}

/** The values with the mark of a person at some places of items, and how many marks differ from before. */
export function markValues(
  { values, marks = [], others }: QualifiedValues,
  places: ReadonlySet<number>,
  quality: Quality,
): { qualified: QualifiedValues; marked: number } {
  const given: Mark = { ...quality, origin: 'person' }
  const all = [...marks]
  let marked = 0
  for (const place of places) {
    if (values[place] === undefined || isSame(marks[place], given)) continue
    all[place] = given
    marked++
  }
  return { qualified: { values, marks: all, others }, marked }
}

const isSame = (one: Mark | undefined, other: Mark): boolean =>
  one?.quality === other.quality && one.reason === other.reason && one.origin === other.origin

/** The code with which the rule of a measuring range marks a value outside it. */
export const OUT_OF_RANGE = 'outOfRange'

type EvaluationSettings = Readonly<{ evaluateUncertain: boolean }>

/**
 * The values of a record that arrives, as they are evaluated. A value outside its measuring range stays,
 * since the rule of the range raises its alarm; other bad values are absent, and uncertain ones unless
 * `evaluateUncertain`.
 */
export const evaluatedValues = (record: QualifiedValues, settings: EvaluationSettings) =>
  valuesWithout(
    record,
    settings,
    ({ origin, reason }) => origin === 'rule' && reason === OUT_OF_RANGE,
  )

/** The values of a stored record for rules that judge it again: what rules have marked is among them. */
export const reevaluatedValues = (record: QualifiedValues, settings: EvaluationSettings) =>
  valuesWithout(record, settings, ({ origin }) => origin === 'rule')

function valuesWithout(
  { values, marks }: QualifiedValues,
  { evaluateUncertain }: EvaluationSettings,
  isKept: (mark: Mark) => boolean,
): readonly (number | undefined)[] {
  if (marks === undefined) return values
  return values.map((value, place) => {
    const mark = marks[place]
    if (mark === undefined || mark.quality === 'good' || isKept(mark)) return value
    return mark.quality === 'uncertain' && evaluateUncertain ? value : undefined
  })
}
