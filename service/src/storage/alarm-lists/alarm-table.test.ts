import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { AlarmTable, type ListedAlarm } from './alarm-table.ts'
import type { AlarmQuery } from '../stores/alarms.ts'

const small = fc.integer({ min: 1, max: 3 })
const time = fc.integer({ min: 1, max: 9 }).map((day) => `2026-01-0${day} 00:00:00`)
const words = fc
  .array(fc.constantFrom('a', 'B', '1', '2', '%', '_', '应', '变'), { maxLength: 4 })
  .map((letters) => letters.join(''))

const alarm = fc.record({
  structure: small,
  source: fc.record({ id: fc.constant('1'), name: words }),
  category: small,
  level: small,
  content: words,
  count: small,
  state: fc.nat(4),
  startTime: time,
  endTime: time,
})

const someOf = fc.array(fc.nat(4), { maxLength: 3 })
const maybe = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined, freq: 2 })
const query: fc.Arbitrary<AlarmQuery> = fc.record({
  scope: fc.oneof(fc.constant('all' as const), someOf),
  status: maybe(fc.constantFrom('new', 'history')),
  levels: maybe(someOf),
  categories: maybe(someOf),
  startTime: maybe(time),
  endTime: maybe(time),
  keywords: maybe(words),
  orderBy: fc.constantFrom('level', 'count', 'startTime', 'endTime'),
  orderDirection: fc.constantFrom('asc', 'desc'),
  limit: fc.integer({ min: 1, max: 60 }),
  offset: fc.nat(60),
})

const puts = fc.array(fc.tuple(fc.nat(80), alarm), { maxLength: 200 })

const compare = <Value extends string | number>(one: Value, two: Value): number =>
  one < two ? -1 : Number(one > two)

/** The same without any cleverness. */
function listPlainly(alarms: readonly ListedAlarm[], asked: AlarmQuery) {
  const includes = (text: string) => text.toLowerCase().includes(asked.keywords!.toLowerCase())
  const found = alarms.filter(
    (one) =>
      (asked.scope === 'all' || asked.scope.includes(one.structure)) &&
      (asked.status === undefined || (asked.status === 'new') === one.state < 3) &&
      (asked.levels === undefined || asked.levels.includes(one.level)) &&
      (asked.categories === undefined || asked.categories.includes(one.category)) &&
      (asked.startTime === undefined || one.endTime >= asked.startTime) &&
      (asked.endTime === undefined || one.startTime <= asked.endTime) &&
      (asked.keywords === undefined || includes(one.source.name) || includes(one.content)),
  )
  const sign = asked.orderDirection === 'asc' ? 1 : -1
  const sorted = found.toSorted(
    (one, two) => sign * (compare(one[asked.orderBy], two[asked.orderBy]) || one.id - two.id),
  )
  const { limit, offset } = asked
  return {
    count: found.length,
    ids: sorted.slice(offset, offset + limit).map(({ id }) => id),
  }
}

test('pages and counts are those of a plain list, before and after changes', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(puts, query), { maxLength: 6 }), (rounds) => {
      const table = new AlarmTable()
      const alarms = new Map<number, ListedAlarm>()

      for (const [changes, asked] of rounds) {
        for (const [at, one] of changes) {
          // An id that is known, or one beyond all of them.
          const id = at * 3 < alarms.size * 3 ? at * 3 : alarms.size * 3
          table.put({ ...one, id })
          alarms.set(id, { ...one, id })
        }
        const expected = listPlainly([...alarms.values()], asked)
        assert.deepEqual(table.page(asked, asked), expected)
        assert.equal(table.count(asked), expected.count)
      }
    }),
    { numRuns: runs(500) },
  )
})

test('an alarm that is older than others and not known is not taken', () => {
  const [sample] = fc.sample(alarm, 1)
  const table = new AlarmTable()

  assert.equal(table.put({ ...sample!, id: 1 }), true)
  assert.equal(table.put({ ...sample!, id: 5 }), true)
  assert.equal(table.put({ ...sample!, id: 5 }), true)
  assert.equal(table.put({ ...sample!, id: 4 }), false)
})
