import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { recordKey, recordText } from '../records/record-text.ts'
import {
  addRuleMarks,
  evaluatedValues,
  marksText,
  mergeValues,
  OUT_OF_RANGE,
  qualifiedValues,
  reevaluatedValues,
  servedValues,
  type QualifiedValues,
} from './qualified-values.ts'
import type { Mark } from './quality.ts'

const KEYS = ['strain', 'time', '__proto__', '温度']
const items = { itemIndex: new Map(KEYS.map((key, place) => [key, place])) }

const PLAIN = { noNullPrototype: true } as const

const mark = fc.oneof(
  fc.record(
    {
      quality: fc.constantFrom('uncertain' as const, 'bad' as const),
      reason: fc.string(),
      origin: fc.constantFrom('sender' as const, 'rule' as const, 'person' as const),
    },
    PLAIN,
  ),
  fc.record(
    {
      quality: fc.constant('good' as const),
      reason: fc.string(),
      origin: fc.constant('person' as const),
    },
    PLAIN,
  ),
  fc.constant<Mark>({ quality: 'uncertain', reason: 'uncertainInput', origin: 'input' }),
)

const place = fc.record({
  value: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), { nil: undefined }),
  mark: fc.option(mark, { nil: undefined }),
})

/** A mark belongs to a value. */
const record = fc
  .array(place, { minLength: KEYS.length, maxLength: KEYS.length })
  .map((places): QualifiedValues => ({
    values: places.map(({ value }) => (Object.is(value, -0) ? 0 : value)),
    marks: places.map(({ value, mark }) => (value === undefined ? undefined : mark)),
  }))

/** What is stored of a record, as text. */
function store(qualified: QualifiedValues) {
  const served = servedValues(qualified)
  const isEmpty = served.every((value) => value === undefined)
  const quoted = KEYS.map(recordKey)
  return {
    record: isEmpty ? null : recordText(quoted, served, '2026-01-01 00:00:00'),
    marks: marksText(qualified, items),
  }
}

const plain = ({ values, marks = [] }: QualifiedValues) =>
  KEYS.map((_key, place) => [values[place], marks[place]])

describe('values with their quality', () => {
  test('are the same after they were stored and read', () => {
    fc.assert(
      fc.property(record, (one) => {
        assert.deepEqual(plain(qualifiedValues(store(one), items)), plain(one))
      }),
    )
  })

  test('a bad mark of a value that is served is void', () => {
    const marks = marksText({ values: [5], marks: [BAD] }, items)
    const record = '{"strain":7,"time":"2026-01-01 00:00:00"}'

    assert.deepEqual(plain(qualifiedValues({ record, marks }, items))[0], [7, undefined])
  })

  test('marks that cannot be read are left out', () => {
    const marks = '{"strain":{"quality":"sort of"},"温度":null,"gone":{"quality":"bad"}}'

    assert.deepEqual(qualifiedValues({ record: null, marks }, items).values, [])
  })

  test('of damaged texts are none', () => {
    for (const text of ['', '{', '{"strain":1,"time":"2026-01-01 00:00:0', 'null'])
      assert.deepEqual(
        plain(qualifiedValues({ record: text, marks: text }, items)),
        plain({ values: [] }),
      )
  })
})

const BAD: Mark = { quality: 'bad', reason: 'cable cut', origin: 'sender' }
const PERSON: Mark = { quality: 'bad', reason: 'works', origin: 'person' }
const SPIKE: Mark = { quality: 'uncertain', reason: 'spike', origin: 'rule' }

/** The mark that a value keeps when another one comes in its place. */
const merge = (mark: Mark, value: number) =>
  mergeValues({ values: [1], marks: [mark] }, { values: [value] }, { isPart: true }).marks?.[0]

describe('merging', () => {
  test('keeps what a part does not name, and replaces what it names', () => {
    fc.assert(
      fc.property(record, record, (stored, given) => {
        const merged = mergeValues(stored, given, { isPart: true })

        for (const [place, value] of given.values.entries())
          assert.equal(merged.values[place], value ?? stored.values[place])
      }),
    )
  })

  test('replaces the whole record where that is asked for', () => {
    fc.assert(
      fc.property(record, record, (stored, given) => {
        assert.deepEqual(mergeValues(stored, given, { isPart: false }).values, given.values)
      }),
    )
  })

  test('changes nothing when the same record comes again, but for marks of rules and persons', () => {
    fc.assert(
      fc.property(record, record, fc.boolean(), (stored, given, isPart) => {
        const once = mergeValues(stored, given, { isPart })

        assert.deepEqual(plain(mergeValues(once, given, { isPart })), plain(once))
      }),
    )
  })

  test('keeps the mark of a person with any value, that of a rule with the same value', () => {
    assert.equal(merge(PERSON, 2), PERSON)
    assert.equal(merge(SPIKE, 1), SPIKE)
    assert.equal(merge(SPIKE, 2), undefined)
    assert.equal(merge(BAD, 1), undefined)
  })
})

describe('marks of rules', () => {
  const uncertain = { place: 0, quality: { quality: 'uncertain', reason: 'spike' } } as const

  test('join those of the sender, of which the worse holds', () => {
    assert.deepEqual(addRuleMarks(undefined, [uncertain]), [SPIKE])
    assert.deepEqual(addRuleMarks([BAD], [uncertain]), [BAD])
  })

  test('do not overrule a person', () => {
    const good: Mark = { quality: 'good', reason: '', origin: 'person' }

    assert.deepEqual(addRuleMarks([good], [uncertain]), [good])
  })
})

describe('evaluation', () => {
  const OUTSIDE: Mark = { quality: 'bad', reason: OUT_OF_RANGE, origin: 'rule' }
  const BAD_SPIKE: Mark = { ...SPIKE, quality: 'bad' }
  const given = { values: [1, 2, 3, 4], marks: [BAD, OUTSIDE, SPIKE, BAD_SPIKE] }

  test('sees values out of range, and uncertain ones unless the structure leaves them out', () => {
    assert.deepEqual(evaluatedValues(given, { evaluateUncertain: true }), [
      undefined,
      2,
      3,
      undefined,
    ])
    assert.deepEqual(evaluatedValues(given, { evaluateUncertain: false }), [
      undefined,
      2,
      undefined,
      undefined,
    ])
  })

  test('sees what rules have marked when they judge stored records again', () => {
    assert.deepEqual(reevaluatedValues(given, { evaluateUncertain: true }), [undefined, 2, 3, 4])
  })
})
