import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import { Forwarder } from '../faults/_forwarder.ts'
import { newDatabase } from '../_postgres.ts'
import { connect } from './_postgres-connection.ts'

const WINDOW = { structures: [1], stations: [], startsAt: 0, endsAt: 4e12, createdAt: 0 }

test('writes that share a commit whose response is lost are refused, and not stored again', async () => {
  await using database = await newDatabase()
  await using address = await Forwarder.open(Number(new URL(database.url).port))
  const url = address.urlOf(database.url)
  // With so few connections one of them writes.
  await using storage = await openPostgres(url, { poolSize: 3, statementTimeoutSeconds: 60 })
  let commits = 0
  address.mayCut = (sent) => sent.includes('commit\0') && ++commits === 2

  // The first one goes alone; the others wait for it, and go together.
  const added = await Promise.allSettled(
    ['first', 'second', 'third'].map((reason) => storage.maintenance.add({ ...WINDOW, reason })),
  )

  assert.deepEqual(
    added.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected'],
  )
  for (const one of added)
    if (one.status === 'rejected') assert.equal(one.reason.reason, 'unavailable')
  const stored = await storage.maintenance.list({ limit: 10 })
  assert.deepEqual(stored.map(({ reason }) => reason).toSorted(), ['first', 'second', 'third'])
})

/** As where Citus loses a worker during a commit: the first error is that of the second commit. */
const LOSE_SECOND_COMMIT = `
  create sequence commits;
  create function lose_second() returns trigger language plpgsql as $$ begin
    if nextval('commits') = 2 then
      raise exception 'could not commit transaction for shard' using errcode = 'XX000';
    end if;
    return null;
  end $$;
  create constraint trigger lose after insert on maintenance_windows
    deferrable initially deferred for each row execute function lose_second()`

test('writes that share a commit that fails for an unknown reason are not stored again', async () => {
  await using database = await newDatabase()
  await using storage = await openPostgres(database.url, {
    poolSize: 3,
    statementTimeoutSeconds: 60,
  })
  await using connection = await connect(database.url)
  await connection.query(LOSE_SECOND_COMMIT)

  const added = await Promise.allSettled(
    ['first', 'second', 'third'].map((reason) => storage.maintenance.add({ ...WINDOW, reason })),
  )

  assert.deepEqual(
    added.map((one) => (one.status === 'rejected' ? one.reason.message : 'stored')),
    ['stored', UNKNOWN, UNKNOWN],
  )
  const stored = await storage.maintenance.list({ limit: 10 })
  assert.deepEqual(
    stored.map(({ reason }) => reason),
    ['first'],
  )
})

const UNKNOWN =
  'The connection to the database was lost during a commit: what was sent may be stored. Send it again.'
