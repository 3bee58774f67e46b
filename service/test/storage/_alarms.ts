import assert from 'node:assert/strict'
import test from 'node:test'
import type { AlarmDetail } from '@plumbline/contract'
import type { AlarmQuery, Storage, StoredAlarm } from '../../src/storage/storage.ts'
import type { NewPlace } from './_place.ts'
import { sampleAlarm } from './_sample-alarm.ts'
import { storeAlarms } from './_stored-alarms.ts'

type Kept = StoredAlarm & { details: AlarmDetail[] }

const alarm = (id: number, parts: Partial<Kept> = {}): Kept => ({
  ...sampleAlarm(id),
  details: [],
  ...parts,
})

const span = (id: number, from: number, to: number): Kept =>
  alarm(id, { startTime: `2026-01-0${from} 00:00:00`, endTime: `2026-01-0${to} 00:00:00` })

const named = (id: number, name: string, content: string): Kept =>
  alarm(id, { source: { id: `s ${id}`, name }, content })

const at = (hour: number): string => `2026-01-01 0${hour}:00:00`

const detail = (parts: Partial<AlarmDetail> = {}): AlarmDetail => ({
  sponsor: 'plumbline',
  alarmCode: '30070002',
  alarmState: 0,
  currentLevel: 2,
  content: 'Überschreitung 超限',
  time: '2026-01-01 00:00:00',
  ...parts,
})

const PAGE = {
  scope: 'all',
  orderBy: 'level',
  orderDirection: 'asc',
  limit: 20,
  offset: 0,
} as const

async function ids(storage: Storage, query: Partial<AlarmQuery> = {}): Promise<number[]> {
  const { alarms } = await storage.alarms.list({ ...PAGE, ...query })
  return alarms.map(({ id }) => id)
}

export function alarmFacts(newPlace: NewPlace): void {
  test('open alarms are counted by level, up to a number of alarms', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const levels = [1, 1, 2, 2, 2]
    await storeAlarms(storage, [
      ...levels.map((level, at) => alarm(at + 1, { level, state: at % 3 })),
      alarm(6, { level: 1, state: 3 }),
      alarm(7, { level: 1, state: 4 }),
    ])

    const all = await storage.alarms.countOpen(100)
    const few = await storage.alarms.countOpen(3)

    assert.deepEqual(all, [
      { level: 1, count: 2 },
      { level: 2, count: 3 },
    ])
    assert.equal(
      few.reduce((sum, { count }) => sum + count, 0),
      3,
    )
  })

  test('an alarm is listed as it was stored, with its transitions in order', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const { details, ...stored } = alarm(1, {
      source: { id: '6f1c1f9e', name: '測點 7' },
      content: 'strain: 301µε, level 1 threshold (300,+)',
      sourceType: 1,
      category: 3,
      count: 7,
      details: [
        detail(),
        detail({ alarmState: 2, currentLevel: 1, time: '2026-01-01 00:05:00' }),
        detail({ alarmState: 4, sponsor: '12', time: '2026-01-01 00:05:00' }),
      ],
    })

    await storeAlarms(storage, [{ ...stored, details }])

    assert.deepEqual(await storage.alarms.list(PAGE), { count: 1, alarms: [stored] })
    assert.deepEqual(await storage.alarms.listDetails(1), details)
    assert.equal(await storage.alarms.findStructure(1), 1)
    assert.equal(await storage.alarms.findStructure(2), undefined)
    assert.deepEqual(await storage.alarms.listDetails(2), [])
  })

  test('new is the states 0, 1, 2 and history the states 3, 4', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storeAlarms(
      storage,
      [0, 1, 2, 3, 4].map((state) => alarm(state + 1, { state })),
    )

    assert.equal(await storage.alarms.count('all', 'new'), 3)
    assert.equal(await storage.alarms.count('all', 'history'), 2)
    assert.deepEqual(await ids(storage, { status: 'new' }), [1, 2, 3])
    assert.deepEqual(await ids(storage, { status: 'history' }), [4, 5])
    assert.deepEqual(await ids(storage), [1, 2, 3, 4, 5])
  })

  test('a scope shows the alarms of its structures only', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storeAlarms(
      storage,
      [1, 2, 3].map((structure) => alarm(structure, { structure })),
    )

    assert.deepEqual(await ids(storage, { scope: [1, 3] }), [1, 3])
    assert.deepEqual(await ids(storage, { scope: [] }), [])
    assert.deepEqual(await ids(storage, { scope: [9] }), [])
    assert.equal(await storage.alarms.count([2, 3, 9], 'new'), 2)
    assert.equal(await storage.alarms.count([], 'new'), 0)
    assert.equal(await storage.alarms.count('all', 'new'), 3)
  })

  test('levels and categories narrow, alone and together; an empty list matches nothing', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storeAlarms(storage, [
      alarm(1, { level: 1, category: 1 }),
      alarm(2, { level: 1, category: 5 }),
      alarm(3, { level: 3, category: 5 }),
    ])

    assert.deepEqual(await ids(storage, { levels: [1] }), [1, 2])
    assert.deepEqual(await ids(storage, { levels: [3, 3, 1] }), [1, 2, 3])
    assert.deepEqual(await ids(storage, { categories: [5, -1] }), [2, 3])
    assert.deepEqual(await ids(storage, { categories: [-1] }), [])
    assert.deepEqual(await ids(storage, { levels: [1], categories: [5] }), [2])
    assert.deepEqual(await ids(storage, { levels: [] }), [])
  })

  test('a window takes the alarms whose span meets it, ends included', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storeAlarms(storage, [span(1, 1, 2), span(2, 2, 6), span(3, 4, 4), span(4, 7, 8)])

    const within = (from: number, to: number) =>
      ids(storage, { startTime: `2026-01-0${from} 00:00:00`, endTime: `2026-01-0${to} 00:00:00` })

    assert.deepEqual(await within(2, 2), [1, 2])
    assert.deepEqual(await within(3, 3), [2])
    assert.deepEqual(await within(4, 7), [2, 3, 4])
    assert.deepEqual(await within(9, 9), [])
    assert.deepEqual(await ids(storage, { startTime: '2026-01-06 00:00:01' }), [4])
    assert.deepEqual(await ids(storage, { endTime: '2026-01-01 23:59:59' }), [1])
  })

  test('keywords are searched in source name and content, in either case, as plain text', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storeAlarms(storage, [
      named(1, 'Mast North', 'load 100%'),
      named(2, 'mast_south', 'load 1000'),
      named(3, 'ÜBERGANG 南塔', 'C:\\log'),
    ])

    const found = (keywords: string) => ids(storage, { keywords })

    assert.deepEqual(await found('MAST'), [1, 2])
    assert.deepEqual(await found('%'), [1])
    assert.deepEqual(await found('_'), [2])
    assert.deepEqual(await found('\\'), [3])
    assert.deepEqual(await found('übergang'), [3])
    assert.deepEqual(await found('南'), [3])
    assert.deepEqual(await found('Load 100'), [1, 2])
    assert.deepEqual(await found("'"), [])
    assert.deepEqual(await found('mast\0'), [])
    assert.deepEqual(await found('x'.repeat(100_000)), [])
  })

  test('the order is by column and direction; ties are ordered by id', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storeAlarms(storage, [
      alarm(1, { level: 2, count: 5, startTime: at(3), endTime: at(9) }),
      alarm(2, { level: 1, count: 5, startTime: at(1), endTime: at(9) }),
      alarm(3, { level: 2, count: 11, startTime: at(3), endTime: at(4) }),
      alarm(4, { level: 10, count: 1, startTime: at(2), endTime: at(8) }),
    ])

    const asc = (orderBy: AlarmQuery['orderBy']) => ids(storage, { orderBy })
    const desc = (orderBy: AlarmQuery['orderBy']) =>
      ids(storage, { orderBy, orderDirection: 'desc' })

    assert.deepEqual(await asc('level'), [2, 1, 3, 4])
    assert.deepEqual(await desc('level'), [4, 3, 1, 2])
    assert.deepEqual(await asc('count'), [4, 1, 2, 3])
    assert.deepEqual(await desc('count'), [3, 2, 1, 4])
    assert.deepEqual(await asc('startTime'), [2, 4, 1, 3])
    assert.deepEqual(await desc('startTime'), [3, 1, 4, 2])
    assert.deepEqual(await asc('endTime'), [3, 4, 1, 2])
    assert.deepEqual(await desc('endTime'), [2, 1, 4, 3])
  })

  test('pages over ties hold every alarm once, each with the total count', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const all = Array.from({ length: 95 }, (_, at) => alarm(at + 1, { level: at % 2 }))
    await storeAlarms(storage, all)

    for (const orderDirection of ['asc', 'desc'] as const) {
      const seen: number[] = []
      for (let offset = 0; offset < 110; offset += 10) {
        const page = await storage.alarms.list({ ...PAGE, orderDirection, limit: 10, offset })
        assert.equal(page.count, 95)
        seen.push(...page.alarms.map(({ id }) => id))
      }
      const byLevel = Object.values(Object.groupBy(all, ({ level }) => level)).flat()
      const expected = byLevel.map((one) => one!.id)
      assert.deepEqual(seen, orderDirection === 'asc' ? expected : expected.toReversed())
    }
  })

  test('of one source and type only one alarm is open', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const source = { id: '52093', name: 'SG-01' }
    await storeAlarms(storage, [alarm(1, { source, state: 3 }), alarm(2, { source, state: 1 })])

    await assert.rejects(storeAlarms(storage, [alarm(3), alarm(4, { source, state: 0 })]))

    assert.deepEqual(await ids(storage), [1, 2])
  })

  test('alarms persist after reopening', async () => {
    await using place = await newPlace()
    {
      await using storage = await place.open()
      await storeAlarms(storage, [alarm(1, { details: [detail()] })])
    }

    const again = await place.open()

    assert.deepEqual(await ids(again), [1])
    assert.deepEqual(await again.alarms.listDetails(1), [detail()])
  })
}
