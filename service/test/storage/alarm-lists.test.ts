import { knowRowCheck } from '../../src/storage/sqlite/integrity/row-check.ts'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import Sqlite from 'better-sqlite3'
import { AlarmLists } from '../../src/storage/sql/alarm-lists.ts'
import { queryBuilder, type Query } from '../../src/storage/sql/engine.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { StoredAlarm } from '../../src/storage/storage.ts'
import { newPlace } from './_place.ts'
import { sampleAlarm } from './_sample-alarm.ts'

const PAGE = {
  scope: 'all',
  orderBy: 'level',
  orderDirection: 'asc',
  limit: 3,
  offset: 0,
} as const

const alarm = (id: number, level: number) => ({ ...sampleAlarm(id, { level }), details: [] })

const shown = ({ count, alarms }: { count: number; alarms: readonly StoredAlarm[] }) => ({
  count,
  alarms: alarms.map(({ id, level }) => [id, level]),
})

const openPlace = () => newPlace((folder) => openSqlite(folder))

test('thousands of alarms are all there, one page after the other', async () => {
  await using place = await openPlace()
  await using storage = await place.open()
  const { alarms } = storage
  const ids = Array.from({ length: 2_500 }, (_, at) => at + 1)
  await alarms.put(ids.map((id) => alarm(id, 1 + (id % 3))))

  const pages = []
  for (let offset = 0; offset < 2_500; offset += 500)
    pages.push(await alarms.list({ ...PAGE, limit: 500, offset }))

  const expected = [0, 1, 2].flatMap((left) => ids.filter((id) => id % 3 === left))
  assert.deepEqual(
    pages.flatMap((page) => page.alarms.map(({ id }) => id)),
    expected,
  )
  assert.deepEqual([...new Set(pages.map(({ count }) => count))], [2_500])
})

test('an alarm that was taken out of the database is listed no more', async () => {
  await using place = await openPlace()
  await using storage = await place.open()
  await storage.alarms.put([alarm(1, 1), alarm(2, 2), alarm(3, 3)])
  const before = await storage.alarms.list(PAGE)
  using database = openDatabase(place.folder)

  database.run('delete from alarms where id = 2')

  const after = await storage.alarms.list(PAGE)
  assert.equal(before.count, 3)
  assert.deepEqual(shown(after), {
    count: 2,
    alarms: [
      [1, 1],
      [3, 3],
    ],
  })
})

test('a page of which an alarm changes while it is read is put together anew', async () => {
  await using place = await openPlace()
  await using storage = await place.open()
  await storage.alarms.put([alarm(1, 1), alarm(2, 2), alarm(3, 3)])
  using database = openDatabase(place.folder)
  const changes = [() => storage.alarms.put([alarm(1, 3)]), () => storage.alarms.put([alarm(2, 4)])]
  const lists = new AlarmLists({
    build: queryBuilder('sqlite'),
    check() {},
    async all<Row>(query: Query) {
      if (/ in \(/.test(query.sql)) await changes.shift()?.()
      return database.all<Row>(query)
    },
  })

  const page = await lists.read({ ...PAGE, limit: 2 })

  assert.deepEqual(shown(page), {
    count: 3,
    alarms: [
      [1, 3],
      [3, 3],
    ],
  })
})

test('many changes are taken up in pieces, and what changes meanwhile too', async () => {
  await using place = await openPlace()
  await using storage = await place.open()
  const ids = Array.from({ length: 5_000 }, (_, at) => at + 1)
  await storage.alarms.put(ids.slice(0, 2_000).map((id) => alarm(id, 1)))
  using database = openDatabase(place.folder)
  const sizes: number[] = []
  let change: (() => Promise<void>) | undefined
  const lists = new AlarmLists({
    build: queryBuilder('sqlite'),
    check() {},
    async all<Row>(query: Query) {
      const rows = database.all<Row>(query)
      sizes.push(rows.length)
      // Behind the first piece.
      if (sizes.length === 3) await change?.()
      return rows
    },
  })
  await lists.prepare()
  await storage.alarms.put(ids.map((id) => alarm(id, 2)))
  sizes.length = 0
  change = () => storage.alarms.put([alarm(1, 4), alarm(4_000, 4), alarm(5_001, 4)])

  const pages = [await lists.read({ ...PAGE, orderDirection: 'desc', limit: 4 })]
  pages.push(await lists.read({ ...PAGE, levels: [2], limit: 1 }))

  assert.ok(Math.max(...sizes) <= 1_001, String(sizes))
  assert.deepEqual(pages.map(shown), [
    {
      count: 5_001,
      alarms: [
        [5_001, 4],
        [4_000, 4],
        [1, 4],
        [5_000, 2],
      ],
    },
    { count: 4_998, alarms: [[2, 2]] },
  ])
})

test('lists that are many changes behind leave out what was taken out of the database', async () => {
  await using place = await openPlace()
  await using storage = await place.open()
  const ids = Array.from({ length: 3_000 }, (_, at) => at + 1)
  await storage.alarms.put([alarm(1, 1), alarm(3, 1)])
  await storage.alarms.list(PAGE)
  await storage.alarms.put(ids.map((id) => alarm(id, 2)))
  using database = openDatabase(place.folder)
  database.run('delete from alarms where id = 2')

  assert.deepEqual(shown(await storage.alarms.list(PAGE)), {
    count: 2_999,
    alarms: [
      [1, 2],
      [3, 2],
      [4, 2],
    ],
  })
})

function openDatabase(folder: string) {
  const database = new Sqlite(join(folder, 'plumbline.db'))
  knowRowCheck(database)
  return {
    run: (sql: string) => database.exec(sql),
    all: <Row>({ sql, parameters }: Query) => database.prepare(sql).all(...parameters) as Row[],
    [Symbol.dispose]: () => void database.close(),
  }
}
