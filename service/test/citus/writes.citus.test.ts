import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import { CitusCluster } from '../_citus.ts'
import { withClient } from '../postgres/_client.ts'
import { minutes, readRecords, rowsOf } from '../storage/_place.ts'
import { CONNECTIONS, newDistributedTables } from './_distributed.ts'

const SOURCES = [1, 2, 3, 4, 5, 6, 7, 8]
const MINUTE = 60_000

let cluster: CitusCluster
let url: string
let storage: Storage

before(async () => {
  cluster = await CitusCluster.start()
  url = await newDistributedTables(cluster)
  storage = await openPostgres(url, CONNECTIONS)
})
after(async () => {
  await storage[Symbol.asyncDispose]()
  await cluster[Symbol.asyncDispose]()
})

/** Five minutes of every source. */
function batch(first: number, value: number) {
  const parts = SOURCES.map((source) => rowsOf(source, minutes(5, first * MINUTE), () => value))
  return {
    sources: parts.flatMap(({ sources }) => sources),
    times: parts.flatMap(({ times }) => times),
    records: parts.flatMap(({ records }) => records),
  }
}

const countOf = async (table: string, what: string): Promise<number> =>
  withClient({ connectionString: url }, async (client) =>
    Number((await client.query(`select ${what} as found from ${table}`)).rows[0]?.found),
  )

/** Sends batches at once; returns how many records each of them replaced. */
async function writeAll(firsts: readonly number[]): Promise<number[]> {
  const counts = await Promise.all(
    firsts.map((first, at) => storage.records.write({ theme: batch(first, at) })),
  )
  return counts.map(({ theme }) => theme.replaced)
}

test('batches that are sent at once are joined; one that replaces is counted, and loses none', async () => {
  assert.deepEqual(await writeAll([0, 5, 10, 15]), [0, 0, 0, 0])
  assert.equal(await countOf('theme_open_days', 'sum(count)'), 20 * SOURCES.length)

  assert.deepEqual(await writeAll([20, 25, 30, 10]), [0, 0, 0, 5 * SOURCES.length])

  for (const source of SOURCES) assert.equal((await readRecords(storage, { source })).length, 35)
  const [record] = await readRecords(storage, { source: 3, from: 10 * MINUTE, to: 10 * MINUTE })
  assert.equal(record.v, 3)
  assert.equal(await countOf('theme_records', 'count(*)'), 35 * SOURCES.length)
  // Replaced records are counted as well.
  assert.equal(await countOf('theme_open_days', 'sum(count)'), 40 * SOURCES.length)
})

test('a record of the past among joined batches is counted as a rewrite of its day', async () => {
  await storage.records.write({ theme: batch(300, 1) })
  const before = await countOf('theme_open_days', 'sum(rewrites)')

  await writeAll([310, 320, 290])

  const rewrites = (await countOf('theme_open_days', 'sum(rewrites)')) - before
  assert.equal(rewrites, SOURCES.length)
})

test('a batch with some new records keeps them and replaces the others', async () => {
  await storage.records.write({ theme: batch(100, 1) })

  const { theme } = await storage.records.write({ theme: batch(102, 2) })

  assert.equal(theme.replaced, 3 * SOURCES.length)
  const records = await readRecords(storage, { source: 1, from: 100 * MINUTE, to: 200 * MINUTE })
  assert.deepEqual(
    records.map(({ v }) => v),
    [1, 1, 2, 2, 2, 2, 2],
  )
})

test('a write beside a day that another process seals meanwhile replaces its sealed record', async () => {
  await using other = await openPostgres(url, CONNECTIONS)
  const start = Date.UTC(2026, 2, 1)
  const rows = rowsOf(9, minutes(3, start))
  await storage.records.write({ theme: rows })
  await other.sealedDays.seal({
    kind: 'theme',
    source: 9,
    start,
    until: start + 1440 * MINUTE,
    zone: zone('UTC'),
  })

  const { theme } = await storage.records.write({ theme: rowsOf(9, minutes(1, start), () => 7) })

  assert.equal(theme.replaced, 1)
})
