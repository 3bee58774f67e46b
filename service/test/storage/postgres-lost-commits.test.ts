import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import { Forwarder } from '../faults/_forwarder.ts'
import { newDatabase } from '../_postgres.ts'

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
