import fc from 'fast-check'
import type { RecordList } from './record-list.ts'
import { recordKey, recordText } from './record-text.ts'

/** Keys that a program takes for the end of a record, its time, a seam or something of its own. */
const AWKWARD_KEYS = [
  '},{',
  '"},{"',
  '{',
  '}',
  ',',
  '',
  'values',
  '"values":{',
  ',"time":"',
  '"time"',
  '"time":"2026-01-01 00:00:00"},{"',
  '应变',
  '\\',
  '\\"',
  '\ud800',
  '__proto__',
  'constructor',
  'it\'s "quoted"',
] as const

/** Keys of items, among them those that are hard to read. */
export const itemKeys = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...AWKWARD_KEYS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }).filter((text) => text !== 'time') },
)

const value = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -9, max: 9 }),
)

/** A local time such as a record has, whatever instant it stands for. */
const localTime = (instant: number): string =>
  new Date(instant).toISOString().slice(0, 19).replace('T', ' ')

/** Record texts of one factor's items, of which each record has some. */
const textOf = (keys: readonly string[], instant: number) =>
  fc
    .array(fc.option(value, { nil: undefined }), { minLength: keys.length, maxLength: keys.length })
    .filter((values) => values.some((one) => one !== undefined))
    .map((values) => Buffer.from(recordText(keys.map(recordKey), values, localTime(instant))))

/** Records as they are stored, ascending, with keys that are hard to read. */
export const recordLists = ({ minLength = 0, maxLength = 20 } = {}): fc.Arbitrary<RecordList> =>
  fc
    .tuple(
      fc.uniqueArray(itemKeys, { minLength: 1, maxLength: 4 }),
      fc.uniqueArray(fc.integer({ min: 0, max: 400 }), { minLength, maxLength }),
    )
    .chain(([keys, steps]) => {
      const times = steps.toSorted((a, b) => a - b).map((step) => 1_767_225_600_000 + step * 500)
      return fc.tuple(...times.map((time) => textOf(keys, time))).map((texts) => ({ times, texts }))
    })

/** The same as plain text, to compare. */
export const plain = ({ times, texts }: RecordList): [number, string][] =>
  Array.from(times, (time, at) => [time, Buffer.from(texts[at]!).toString()])
