import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import pg from 'pg'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import { isSpread } from '../../src/storage/postgres/distribution/spread-rows.ts'
import { openConnection } from '../../src/storage/postgres/connection/open-connection.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import { CitusCluster } from '../_citus.ts'
import { EVER, gather, minutes, readRecords, rowsOf } from '../storage/_place.ts'
import { CONNECTIONS, newDistributedTables } from './_distributed.ts'

const DAY = 86_400_000
const START = Date.UTC(2026, 2, 1)
const SOURCE = 5
const OPEN_DAY = { from: START + DAY, to: START + 2 * DAY - 1 }

/** What the interface reads of one station, over a sealed day and an open one. */
const READS: Readonly<Record<string, (storage: Storage) => Promise<unknown>>> = {
  'all records': (storage) => readRecords(storage, { source: SOURCE }),
  'a window': (storage) =>
    readRecords(storage, { source: SOURCE, from: START + 1000, to: START + DAY + 90_000 }),
  'the newest record': (storage) => readRecords(storage, { source: SOURCE, newest: 1 }),
  'the newest records over a sealed day': (storage) =>
    readRecords(storage, { source: SOURCE, newest: 1500 }),
  'all raw records': (storage) => readRecords(storage, { source: SOURCE, kind: 'raw' }),
  'compressed records': (storage) => drain(readCompressed(storage, EVER)),
  hours: async (storage) => {
    for await (const _ of storage.records.readHours({
      kind: 'theme',
      source: SOURCE,
      from: START,
      to: START + 2 * DAY,
      zone: zone('UTC'),
    }));
  },
  marks: async (storage) => {
    for await (const _ of storage.records.readMarks({ kind: 'theme', source: SOURCE, ...EVER }));
  },
}

test('every read of one station touches one shard', async (t) => {
  await using cluster = await CitusCluster.start()
  const url = await newDistributedTables(cluster)
  await using storage = await openPostgres(url, { ...CONNECTIONS, openDayBytes: 64_000_000 })
  for (const source of [3, 4, SOURCE, 6])
    for (const kind of ['theme', 'raw'] as const)
      await storage.records.write({ [kind]: rowsOf(source, minutes(2000, START)) })
  await storage.sealedDays.seal({
    kind: 'theme',
    source: SOURCE,
    start: START,
    until: START + DAY,
    zone: zone('UTC'),
  })
  await using connection = await openConnection(url, CONNECTIONS)

  for (const [name, read] of Object.entries(READS))
    await t.test(name, async () => {
      const queries = await record(() => read(storage))

      assert.ok(queries.length > 0)
      for (const { text, values } of queries) {
        const plan = await connection.query(`explain (costs off) ${text}`, [...values])
        const lines = plan.rows.map((row) => String(row['QUERY PLAN']))
        const counts = lines.flatMap((line) => /Task Count: (\d+)/.exec(line)?.[1] ?? [])
        assert.deepEqual(counts, ['1'], `${text}\n${lines.join('\n')}`)
      }
    })
  await t.test('a whole sealed day is one statement over its part', async () => {
    const day = { from: START, to: START + DAY - 1 }
    const queries = await record(() => drain(readCompressed(storage, day)))

    assert.deepEqual(
      queries.map(({ text }) => /^\s*select[^]*from theme_sealed_parts where/.test(text)),
      [true],
      queries.map(({ text }) => text).join('\n'),
    )
  })
  await t.test(
    'open records that are kept in memory are one statement over their days',
    async () => {
      await drain(readCompressed(storage, OPEN_DAY))
      const queries = await record(() => drain(readCompressed(storage, OPEN_DAY)))

      assert.deepEqual(
        queries.map(({ text }) => /^select[^]*from theme_open_days where/.test(text)),
        [true],
        queries.map(({ text }) => text).join('\n'),
      )
    },
  )
  assert.ok(
    (await gather(storage.records.read({ kind: 'theme', shape: 'flat', source: 3, ...EVER })))
      .length > 0,
  )
})

const readCompressed = (storage: Storage, window: { from: number; to: number }) =>
  storage.records.readDeflated({ kind: 'theme', shape: 'flat', source: SOURCE, ...window })

async function drain(chunks: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of chunks);
}

type Query = { text: string; values: readonly unknown[] }

/** The queries about distributed tables that are sent meanwhile. */
async function record(run: () => Promise<unknown>): Promise<Query[]> {
  const queries: Query[] = []
  const send = pg.Client.prototype.query
  const spied = mock.method(
    pg.Client.prototype,
    'query',
    function (this: pg.Client, ...args: unknown[]) {
      const [query] = args as [Partial<Query>]
      if (query.text !== undefined && isSpread(query.text))
        queries.push({ text: query.text, values: query.values ?? [] })
      return Reflect.apply(send, this, args)
    },
  )
  await run().finally(() => spied.mock.restore())
  return queries
}
