import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { AlarmListFilter, AlarmPage, StoredAlarm } from '../../src/storage/storage.ts'
import { newPlace } from './_place.ts'
import { sampleAlarm } from './_sample-alarm.ts'
import { storeAlarms } from './_stored-alarms.ts'
import type { AlarmDetail } from '@plumbline/contract'

const SECOND = 1000
const FIRST = Date.UTC(2026, 0, 1)
const time = fc
  .nat(40)
  .map((step) => new Date(FIRST + step * 6_000 * SECOND).toISOString().slice(0, 19))
  .map((text) => text.replace('T', ' '))

const NAMES = ['Mast North', 'mast_south', 'SG-12', '南塔 1', 'ÜBER 12.5', '']
const PIECES = [
  '应变: ',
  'a: ',
  '-',
  '1',
  '12',
  '12.5',
  'mm',
  'µε',
  ', level ',
  ' (',
  '%',
  'E',
  '; ',
]
const content = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 8 })
  .map((parts) => parts.join(''))

const LEVELS = [-3, 0, 1, 2, 3, 70_000]

const alarm = fc.record({
  structure: fc.integer({ min: 1, max: 6 }),
  name: fc.constantFrom(...NAMES),
  category: fc.constantFrom(1, 2, 3, 4, 5),
  level: fc.constantFrom(...LEVELS),
  content,
  count: fc.integer({ min: 1, max: 5 }),
  state: fc.constantFrom(0, 1, 2, 3, 3, 3, 4),
  times: fc.tuple(time, time),
})

/** Some alarms as they are stored first, and what some of them are replaced by. */
const histories = fc.tuple(
  fc.array(alarm, { minLength: 15, maxLength: 40, size: 'max' }),
  fc.array(alarm, { maxLength: 10 }),
)

const storedOf = (rows: readonly (typeof alarm extends fc.Arbitrary<infer Row> ? Row : never)[]) =>
  rows.map(({ name, times: [startTime, endTime], ...rest }, at) =>
    sampleAlarm(at + 1, { ...rest, startTime, endTime, source: { id: `source ${at}`, name } }),
  )

/** Most filters are left out, so that something is left. */
const orAll = <Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: values })

const keyword = fc.oneof(
  fc.constantFrom(
    'MAST',
    '_',
    '%',
    '12',
    '2.5',
    ': -1',
    '南',
    'über',
    ' ',
    'm',
    'e',
    '5mm',
    'absent',
  ),
  content.filter((text) => text !== ''),
)

const query = fc.record({
  scope: fc.oneof(fc.constant('all' as const), fc.subarray([0, 1, 2, 3, 4, 5, 6, 7])),
  status: orAll(fc.constantFrom('new' as const, 'history' as const)),
  levels: orAll(fc.subarray(LEVELS)),
  categories: orAll(fc.subarray([-1, 1, 2, 3, 4, 5, 9])),
  startTime: orAll(time),
  endTime: orAll(time),
  keywords: orAll(keyword),
  orderBy: fc.constantFrom(
    'level' as const,
    'count' as const,
    'startTime' as const,
    'endTime' as const,
  ),
  orderDirection: fc.constantFrom('asc' as const, 'desc' as const),
  limit: fc.integer({ min: 1, max: 8 }),
  offset: fc.oneof(
    { weight: 9, arbitrary: fc.nat(30) },
    { weight: 1, arbitrary: fc.constant(Number.MAX_SAFE_INTEGER) },
  ),
})

/** What a change of an alarm leaves as it is. */
const fixedOf = ({ structure, category }: StoredAlarm) => ({ structure, category })

const STEP = {
  sponsor: 'plumbline',
  alarmCode: '30070002',
  alarmState: 0,
  currentLevel: 2,
  content: 'content',
  time: '2026-01-01 00:00:00',
} as const

const withStep = (count: number) => (one: StoredAlarm) => ({
  ...one,
  details: Array.from({ length: count }, (): AlarmDetail => STEP),
})

const ALL = { orderBy: 'level', orderDirection: 'asc', limit: 1, offset: 0 } as const

function isListed(one: StoredAlarm, filter: AlarmListFilter): boolean {
  const { scope, status, levels, categories, startTime, endTime, keywords = '' } = filter
  const isOpen = one.state < 3
  const folded = keywords.toLowerCase()
  return (
    (scope === 'all' || scope.includes(one.structure)) &&
    (status === undefined || isOpen === (status === 'new')) &&
    (levels === undefined || levels.includes(one.level)) &&
    (categories === undefined || categories.includes(one.category)) &&
    (startTime === undefined || one.endTime >= startTime) &&
    (endTime === undefined || one.startTime <= endTime) &&
    [one.source.name, one.content].some((text) => text.toLowerCase().includes(folded))
  )
}

function listOf(stored: readonly StoredAlarm[], asked: AlarmListFilter & AlarmPage) {
  const { orderBy, orderDirection, limit, offset } = asked
  const ordered = stored
    .filter((one) => isListed(one, asked))
    .toSorted((one, other) => {
      const [first, second] = [one[orderBy], other[orderBy]]
      return first === second ? one.id - other.id : first < second ? -1 : 1
    })
  if (orderDirection === 'desc') ordered.reverse()
  return { count: ordered.length, alarms: ordered.slice(offset, offset + limit) }
}

test('any filter, order and page lists what a plain list of all alarms does', async () => {
  await fc.assert(
    fc.asyncProperty(
      histories,
      fc.array(query, { minLength: 20, maxLength: 40 }),
      async (history, asked) => {
        await using place = await newPlace((folder) => openSqlite(folder, { synchronous: 'OFF' }))
        await using storage = await place.open()
        const [first = [], later = []] = history.map(storedOf)
        const replaced = later.map((one, at) => ({ ...one, ...fixedOf(first[at] ?? one) }))
        await storeAlarms(storage, first.map(withStep(1)))
        await storeAlarms(storage, replaced.map(withStep(2)))
        const stored = [...replaced, ...first.slice(replaced.length)]

        for (const one of asked) {
          const { count, alarms } = await storage.alarms.list(one)
          assert.deepEqual({ count, alarms }, listOf(stored, one), JSON.stringify(one))
        }
        for (const status of ['new', 'history'] as const) {
          const { count } = listOf(stored, { ...ALL, status, scope: [1, 2] })
          assert.equal(await storage.alarms.count([1, 2], status), count)
        }
        assert.deepEqual(await storage.inspect(), { damaged: [], stale: [] })
      },
    ),
    { numRuns: 50 },
  )
})
