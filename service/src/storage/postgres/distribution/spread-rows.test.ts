import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { acceptable } from './acceptable.ts'
import { inRounds, inPortions, keyOf, repeatValues, sumRows } from './spread-rows.ts'

const rows = fc.array(fc.tuple(fc.nat(5), fc.nat(5), fc.nat()), { maxLength: 400 })

const byKey = (all: readonly (readonly unknown[])[]) => Map.groupBy(all, (row) => keyOf(row, 2))

test('rounds hold every row once, no key twice, and the rows of a key in their order', () => {
  fc.assert(
    fc.property(rows, (given) => {
      const rounds = inRounds(given, 2)

      for (const round of rounds)
        assert.equal(new Set(round.map((row) => keyOf(row, 2))).size, round.length)
      const found = byKey(rounds.flat())
      const wanted = byKey(given)
      assert.equal(found.size, wanted.size)
      for (const [key, some] of wanted) assert.deepEqual(found.get(key), some)
    }),
  )
})

test('rows of one key are summed up', () => {
  const given = [
    [1, 7, 2, 90, 30],
    [2, 7, 1, 10, 20],
    [1, 7, 3, 40, 10],
    [1, 8, 5, 20, 40],
  ]

  assert.deepEqual(sumRows(given, ['sum', 'max', 'min']), [
    [1, 7, 5, 90, 10],
    [2, 7, 1, 10, 20],
    [1, 8, 5, 20, 40],
  ])
})

test('portions hold all rows in their order', () => {
  fc.assert(fc.property(rows, (given) => assert.deepEqual([...inPortions(given)].flat(), given)))
})

test('an insert of one row becomes one of several', () => {
  assert.equal(
    repeatValues('insert into t (a, b) values (?, ?) on conflict (a) do nothing', 2),
    'insert into t (a, b) values (?, ?), (?, ?) on conflict (a) do nothing',
  )
})

test('values with a subquery become a query, others stay', () => {
  assert.equal(
    acceptable(
      `insert into t (a, b) values ((select id from u where name = ?), ')') on conflict (a) do nothing`,
    ),
    `insert into t (a, b) select (select id from u where name = ?), ')' on conflict (a) do nothing`,
  )
  assert.equal(acceptable('insert into t (a) values (?)'), 'insert into t (a) values (?)')
})
