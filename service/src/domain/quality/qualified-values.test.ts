import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { recordText } from '../records/record-text.ts'
import { marksText, qualifiedValues, servedValues } from './qualified-values.ts'
import { QUALITY_CLASSES, type Mark } from './quality.ts'

const KEYS = ['strain', '__proto__', 'time', 'constructor']
const itemIndex = new Map(KEYS.map((key, place) => [key, place]))
const quotedKeys = KEYS.map((key) => `${JSON.stringify(key)}:`)

const mark: fc.Arbitrary<Mark> = fc.record(
  {
    quality: fc.constantFrom(...QUALITY_CLASSES),
    reason: fc.constantFrom('', 'cable cut'),
    origin: fc.constantFrom('sender', 'rule', 'person', 'input'),
  },
  { noNullPrototype: true },
)

test('values and marks are what they were once they are stored, whatever the keys', () => {
  const value = fc.option(fc.tuple(fc.integer(), fc.option(mark)), { nil: undefined })
  fc.assert(
    fc.property(fc.tuple(value, value, value, value), (given) => {
      const values = given.map((one) => one?.[0])
      const marks = given.map((one) => one?.[1] ?? undefined)

      const served = servedValues({ values, marks })
      const record = served.some((one) => one !== undefined)
        ? recordText(quotedKeys, served, '2026-03-01 12:00:00')
        : null
      const stored = { record, marks: marksText({ values, marks }, { itemIndex }) }

      const found = qualifiedValues(stored, { itemIndex })
      assert.deepEqual(
        KEYS.map((_, at) => [found.values[at], found.marks?.[at]]),
        KEYS.map((_, at) => [values[at], marks[at]]),
      )
    }),
  )
})
