import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startChild, type Child } from '../_child.ts'
import { eventually } from '../_eventually.ts'
import { startServer } from '../_postgres.ts'
import { callHttps, type HttpResponse } from '../_service.ts'
import { withClient } from './_client.ts'
import { KEY, makeDataFolder, TOKEN } from '../faults/_site.ts'

const MINUTES = 5000
const CLIENTS = 10
const REQUESTS = 60

const HEADERS = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }

/** One record of each minute, from the first of January 2024 on. */
const send = (child: Child, minutes: number): Promise<HttpResponse> =>
  callHttps(`${child.origin}/ingest/v1/theme`, child.certificate, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({
      records: Array.from({ length: minutes }, (_, minute) => ({
        station: 1,
        time: Date.UTC(2024, 0, 1, 0, minute),
        values: { v: minute },
      })),
    }),
  })

const read = (child: Child): Promise<HttpResponse> =>
  callHttps(
    `${child.origin}/api/v1/stations/theme/data?token=${TOKEN}&stations=1&startTime=2024-01-01+00:00:00&endTime=2025-01-01+00:00:00`,
    child.certificate,
    {},
  )

/** What clients that read at the same time are answered, or the error of a response that was cut off. */
async function readAtOnce(child: Child): Promise<Record<string, number>> {
  const heard: Record<string, number> = {}
  let left = REQUESTS
  const client = async (): Promise<void> => {
    while (left-- > 0) {
      const answer = await read(child).then(
        ({ status }) => String(status),
        (error: Error) => error.message,
      )
      heard[answer] = (heard[answer] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return heard
}

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/** How many connections of the service wait for a lock. */
async function countBlocked(server: Awaited<ReturnType<typeof startServer>>): Promise<number> {
  const [row] = await server.query<{ count: string }>(
    `select count(*) from pg_stat_activity where usename = 'plumbline' and wait_event_type = 'Lock'`,
  )
  return Number(row?.count)
}

const NO_ROOM = /The database has no more connections for this service[^"]*/g

test('where the server has fewer connections than the settings, requests wait for one of them', async () => {
  await using server = await startServer()
  await using data = await makeDataFolder(undefined, '', server.url)
  await server.query('alter role plumbline connection limit 4')
  await using child = await startChild(data.folder, {
    PLUMBLINE_STORAGE: server.url,
    PLUMBLINE_LOG_LEVEL: 'info',
  })
  assert.equal((await send(child, MINUTES)).status, 200)

  const heard = await readAtOnce(child)
  const stored = await send(child, MINUTES + 1)

  assert.deepEqual(heard, { 200: REQUESTS })
  assert.equal(stored.status, 200)
  assert.equal((await child.getOps('/health/ready')).status, 200)
  assert.equal(countOf(child.logged, NO_ROOM), 1, child.logged)
  assert.match(child.logged, /Lower storage\.poolSize \(10\), or raise the limit of the role/)
  const asked = countOf(await server.log(), /too many connections for role/g)
  assert.ok(asked < 30, `the server was asked ${asked} times`)

  await server.query('alter role plumbline connection limit -1')
  await eventually(async () => {
    await readAtOnce(child)
    const [row] = await server.query<{ count: string }>(
      `select count(*) from pg_stat_activity where usename = 'plumbline'`,
    )
    assert.ok(Number(row?.count) > 4, `${row?.count} connections`)
  })
})

test('a request waits for a connection for a bounded time, and is then refused with the reason', async () => {
  await using server = await startServer()
  await using data = await makeDataFolder(undefined, '', server.url)
  await server.query('alter role plumbline connection limit 4')
  await using child = await startChild(data.folder, {
    PLUMBLINE_STORAGE: `${server.url}?connect_timeout=2`,
  })
  assert.equal((await send(child, 1)).status, 200)
  const { folder, port } = server
  const answers = await withClient(
    { host: folder, port, user: 'postgres', database: 'plumbline' },
    async (client) => {
      await client.query('begin')
      await client.query('lock table theme_records in access exclusive mode')
      // One after the other: requests that come together share their statements.
      const asked: Promise<HttpResponse>[] = []
      for (const blocked of [1, 2]) {
        asked.push(read(child))
        await eventually(async () => assert.equal(await countBlocked(server), blocked))
      }
      const { status, headers, text } = await read(child)
      await client.query('rollback')
      assert.equal(status, 503)
      assert.equal(headers['retry-after'], '5')
      assert.match(text, /the database has no connection left for this service/)
      return Promise.all(asked)
    },
  )

  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  )
})
