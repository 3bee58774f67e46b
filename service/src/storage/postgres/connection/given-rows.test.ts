import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { SetStatement, Statement } from '../../sql/statement.ts'
import { columnsOf, countRows, eachRow, givenAsArrays, givenRows } from './given-rows.ts'

const WIDTH = 3

const rows = fc.array(fc.tuple(fc.nat(2), fc.nat(2), fc.string()), { maxLength: 20 })

/** The three forms in which a statement has rows. */
const forms = (all: readonly (readonly unknown[])[]): Statement[] => [
  { sql: '', width: WIDTH, values: all.flat() },
  {
    sql: '',
    width: WIDTH,
    values: [],
    columns: Array.from({ length: WIDTH }, (_, column) => all.map((row) => row[column])),
  },
  {
    sql: '',
    width: WIDTH,
    values: [],
    rows: { count: all.length, slice: (from, to) => all.slice(from, to) },
  },
]

test('every form of a statement gives the same rows, the same columns and their number', () => {
  fc.assert(
    fc.property(rows, (all) => {
      for (const statement of forms(all)) {
        assert.deepEqual([...eachRow(statement)], all)
        assert.equal(countRows(statement), all.length)
        const columns = columnsOf(statement)
        assert.deepEqual(
          all.map((_, row) => columns.map((column) => column[row])),
          all,
        )
      }
    }),
  )
})

test('of rows that agree in their key only the last one is given', () => {
  const set: SetStatement = { sql: '', types: ['bigint', 'bigint', 'text'], key: 2 }

  fc.assert(
    fc.property(rows, (all) => {
      const last = new Map(all.map((row) => [`${row[0]} ${row[1]}`, row]))

      for (const statement of forms(all)) {
        const { columns, count, repeated } = givenRows(statement, set)
        assert.equal(count, last.size)
        assert.equal(repeated, all.length - last.size)
        const given = Array.from({ length: count }, (_, row) =>
          columns.map((column) => column[row]),
        )
        assert.deepEqual(new Set(given.map(String)), new Set([...last.values()].map(String)))
      }
    }),
  )
})

test('a set statement takes its rows as one array for each column', () => {
  const sql = givenAsArrays({
    sql: 'insert into t select c1, c2 from @given',
    types: ['bigint', 'text'],
  })

  assert.match(
    sql,
    /^insert into t select c1, c2 from unnest\(\$1::bigint\[\], \$2::text\[\]\)\s+with ordinality as given\(c1, c2, at\)$/,
  )
})
