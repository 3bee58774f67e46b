import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import type { SqlConnection } from '../../src/storage/postgres/connection/sql-connection.ts'
import { eventually } from '../_eventually.ts'
import { newDatabase, startServer } from '../_postgres.ts'
import { Forwarder } from '../faults/_forwarder.ts'
import { withClient } from '../postgres/_client.ts'
import { connect } from './_postgres-connection.ts'

const WINDOW = { structures: [1], stations: [], startsAt: 0, endsAt: 4e12, createdAt: 0 }
const SETTINGS = { poolSize: 4, statementTimeoutSeconds: 60 }

/** Keys of the advisory locks, as another program takes them. */
const SERVING = '1886154094, hashtext(current_schema())'
const USING = '1886154095, hashtext(current_schema())'

/** Ends the session that holds the locks of a program, once another connection waits for one of them. */
async function takeOver(connection: SqlConnection, url: string, key: string): Promise<void> {
  const taken = connection.query(`select pg_advisory_lock(${key})`)
  await withClient({ connectionString: url }, async (client) => {
    await eventually(async () => {
      const { rows } = await client.query(`${ADVISORY} and not granted`)
      assert.equal(rows.length, 1)
    })
    await client.query(`select pg_terminate_backend(pid) from (${ADVISORY} and granted) as held`)
  })
  await taken
}

/** How many sockets keep this process running. */
const countSockets = (): number =>
  process.getActiveResourcesInfo().filter((type) => type === 'TCPSocketWrap').length

const ADVISORY = `select distinct pid from pg_locks where locktype = 'advisory'
  and database = (select oid from pg_database where datname = current_database())`

const add = (storage: Awaited<ReturnType<typeof openPostgres>>, reason: string) =>
  storage.maintenance.add({ ...WINDOW, reason })

describe('a program that loses the session with its locks', () => {
  test('writes nothing while another program has the database alone, and goes on after it', async () => {
    await using database = await newDatabase()
    await using storage = await openPostgres(database.url, SETTINGS)
    {
      await using other = await connect(database.url)
      await takeOver(other, database.url, USING)

      await eventually(() => assert.equal(storage.state().writing?.message, TAKEN))
      await assert.rejects(add(storage, 'refused'), { reason: 'unavailable', message: TAKEN })
      assert.deepEqual(await storage.maintenance.list({ limit: 1 }), [])
    }

    await eventually(() => add(storage, 'stored'))
    const [stored] = await storage.maintenance.list({ limit: 1 })
    assert.equal(stored?.reason, 'stored')
  })

  test('does not commit what it has begun before', async () => {
    await using database = await newDatabase()
    await using storage = await openPostgres(database.url, SETTINGS)
    await using blocking = await connect(database.url)
    await using other = await connect(database.url)
    await blocking.query('begin')
    await blocking.query('lock table maintenance_windows in exclusive mode')
    const added = assert.rejects(add(storage, 'begun'), { reason: 'unavailable' })
    await eventually(async () => {
      const { rows } = await other.query(
        `select 1 from pg_locks where relation = 'maintenance_windows'::regclass and not granted`,
      )
      assert.equal(rows.length, 1)
    })

    await takeOver(other, database.url, USING)
    await eventually(() => assert.notEqual(storage.state().writing, undefined))
    await blocking.query('commit')

    await added
    assert.deepEqual(await storage.maintenance.list({ limit: 1 }), [])
  })

  test('writes nothing to a database that was migrated meanwhile', async () => {
    await using database = await newDatabase()
    await using storage = await openPostgres(database.url, { ...SETTINGS, isServed: true })
    {
      await using other = await connect(database.url)
      await takeOver(other, database.url, SERVING)
      await eventually(() =>
        assert.match(String(storage.state().writing?.message), /another program migrates/i),
      )
      await other.query('update schema_version set version = 99')
    }

    await eventually(() =>
      assert.match(String(storage.state().writing?.message), /was migrated to version 99/),
    )
    await assert.rejects(add(storage, 'refused'), { reason: 'unavailable' })
  })

  test('that has the database alone reads and writes no more', async () => {
    await using database = await newDatabase()
    await using storage = await openPostgres(database.url, SETTINGS)
    await using _alone = await storage.takeAlone()

    await withClient({ connectionString: database.url }, (client) =>
      client.query(`select pg_terminate_backend(pid) from (${ADVISORY}) as held`),
    )

    const message = /the connection that had the database alone was lost/
    await eventually(() => assert.rejects(add(storage, 'refused'), { message }))
    await assert.rejects(storage.maintenance.list({ limit: 1 }), { message })
  })
})

const TAKEN =
  'Another program rewrites the stored records and has the database alone. Try again when it has ended.'

describe('a database that is silent', () => {
  test('is given up after some seconds, and used again once it answers', async () => {
    await using server = await startServer({ durable: true })
    await using storage = await openPostgres(server.url, SETTINGS)
    await add(storage, 'before')
    server.pause()

    const begun = performance.now()
    // More than there are connections: the others wait for one.
    const refused = await Promise.allSettled([
      ...Array.from({ length: 6 }, (_, at) => add(storage, `paused ${at}`)),
      ...Array.from({ length: 6 }, () => storage.maintenance.list({ limit: 1 })),
    ])
    const waited = performance.now() - begun
    const again = performance.now()
    await assert.rejects(storage.maintenance.list({ limit: 1 }), {
      message: /silent for 5 seconds/,
    })
    const refusing = performance.now() - again
    server.resume()

    for (const one of refused) {
      assert.equal(one.status, 'rejected')
      assert.equal(one.reason.reason, 'unavailable')
      assert.ok(one.reason.retryAfterSeconds > 0)
    }
    assert.ok(waited < 10_000, `refused after ${waited} ms`)
    assert.ok(refusing < 500, `the next one after ${refusing} ms`)
    await eventually(() => add(storage, 'after'))
  })

  test('has open transactions for some seconds only, where the network forgets connections', async () => {
    await using database = await newDatabase()
    await using address = await Forwarder.open(Number(new URL(database.url).port))
    await using storage = await openPostgres(address.urlOf(database.url), SETTINGS)
    const write = (record: string) =>
      storage.records.write({ theme: { sources: [1], times: [0], records: [record] } })
    await write('{"v":1}')
    await using blocking = await connect(database.url)
    await blocking.query('begin')
    await blocking.query('lock table theme_records in exclusive mode')
    const forgotten = assert.rejects(write('{"v":2}'), { reason: 'unavailable' })
    await eventually(async () => {
      const { rows } = await blocking.query(
        `select 1 from pg_locks where relation = 'theme_records'::regclass and not granted`,
      )
      assert.equal(rows.length, 1)
    })

    address.swallow()
    await blocking.query('commit')
    await forgotten
    const begun = performance.now()
    await eventually(() => write('{"v":3}'))

    assert.ok(performance.now() - begun < 20_000)
  })

  test('is left without waiting for it', async () => {
    await using server = await startServer()
    const before = countSockets()
    const storage = await openPostgres(server.url, SETTINGS)
    await add(storage, 'before')
    assert.ok(countSockets() > before)
    server.pause()

    const begun = performance.now()
    await storage[Symbol.asyncDispose]()
    await eventually(() => assert.equal(countSockets(), before))

    assert.ok(performance.now() - begun < 5_000)
  })

  test('is not one in which a statement takes long', async () => {
    await using database = await newDatabase()
    await using storage = await openPostgres(database.url, SETTINGS)
    await using blocking = await connect(database.url)
    await blocking.query('begin')
    await blocking.query('lock table maintenance_windows')

    const waiting = Promise.all([add(storage, 'long'), storage.maintenance.list({ limit: 1 })])
    await sleep(8_000)
    await blocking.query('commit')

    await waiting
  })
})

test('a database whose synchronous standby is away takes no writes, and says why', async () => {
  await using server = await startServer()
  await using storage = await openPostgres(server.url, SETTINGS)
  await using standby = await server.standby()
  standby.pause()

  const begun = add(storage, 'begun')
  const message = /does not commit, since it waits for a synchronous standby/
  await eventually(() => assert.match(String(storage.state().writing?.message), message))
  await assert.rejects(add(storage, 'refused'), { message })
  await assert.rejects(storage.check(), { message })
  assert.equal(storage.state().reading, undefined)
  standby.resume()

  await begun
  await eventually(() => add(storage, 'after'))
})
