import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { lockAlarms, lockSources, type Statement } from '../../sql/statement.ts'
import { countRows, eachRow } from './given-rows.ts'
import { mergeWrites } from './merge-writes.ts'

type Sample = { sources: number[]; texts: string[]; expects: boolean; kind: 'a' | 'b' | 'single' }

const sample: fc.Arbitrary<Sample> = fc.record({
  sources: fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 3 }),
  texts: fc.array(fc.string({ maxLength: 3 }), { maxLength: 3 }),
  expects: fc.boolean(),
  kind: fc.constantFrom('a' as const, 'a' as const, 'b' as const, 'single' as const),
})

/** A write that locks its sources, then inserts a row for each text. */
function writeOf({ sources, texts, expects, kind }: Sample): Statement[] {
  const insert: Statement = {
    sql: `insert one ${kind}`,
    width: 2,
    values: texts.flatMap((text, at) => [at, text]),
    ...(expects ? { expected: texts.length } : {}),
  }
  const set = { sql: `insert all ${kind}`, types: ['bigint', 'text'] as const }
  return [
    lockSources('theme', sources),
    lockAlarms(sources.map(String)),
    kind === 'single' ? insert : { ...insert, set },
  ]
}

const rowsOf = (statement: Statement): unknown[][] =>
  Array.from(eachRow(statement), (row) => [...row])

test('writes that are joined write the rows of all of them in their order, under all their locks', () => {
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 12 }), (samples) => {
      const writes = samples.map(writeOf)
      const merged = mergeWrites(writes)

      const inserts = merged.map(({ statements }) => statements.at(-1))
      assert.deepEqual(
        inserts.flatMap((insert) => (insert === undefined ? [] : rowsOf(insert))),
        writes.flatMap((write) => write.flatMap(rowsOf).filter((row) => row.length > 0)),
      )

      let next = 0
      for (const { statements, split } of merged) {
        const outcomes = statements.map((one) => ({
          changed: countRows(one),
          otherwise: 0,
          lastId: 0,
        }))
        const own = split(outcomes)
        const joined = samples.slice(next, (next += own.length))
        const sources = [...new Set(joined.flatMap((one) => one.sources))]
        const [theme, alarms, insert] = statements
        assert.deepEqual(theme?.locks?.sources, sources.toSorted())
        assert.deepEqual(alarms?.locks?.sources.toSorted(), sources.map(String).toSorted())
        assert.deepEqual(
          own.map((ends) => ends.at(-1)?.changed),
          joined.map(({ texts }) => texts.length),
        )
        assert.equal(new Set(joined.map(({ kind }) => kind)).size, 1)
        assert.equal(new Set(joined.map(({ expects }) => expects)).size, 1)
        const total = joined.reduce((sum, { texts }) => sum + texts.length, 0)
        assert.equal(insert?.expected, joined[0]?.expects === true ? total : undefined)
        if (joined[0]?.kind === 'single') assert.equal(joined.length, 1)
      }
      assert.equal(next, samples.length)
    }),
  )
})

test('writes of one form that follow each other become one list of statements', () => {
  const one: Sample = { sources: [1], texts: ['x'], expects: false, kind: 'a' }

  assert.equal(mergeWrites(Array.from({ length: 64 }, () => writeOf(one))).length, 1)
})
