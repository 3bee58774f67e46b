import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Migration } from '../../src/storage/migration.ts'
import { MIGRATIONS } from '../../src/storage/postgres/migrations/all-migrations.ts'
import { migrate } from '../../src/storage/postgres/migrations/migrate.ts'
import { eventually } from '../_eventually.ts'
import { newDatabase } from '../_postgres.ts'
import { freePort, withService } from '../_service.ts'
import { SITE } from '../_site.ts'
import { connect } from '../storage/_postgres-connection.ts'

const DATA = '/stations/theme/data?stations=1001&limit=9'

/** A step that takes a while, as that of a large table does. */
const LATER: Migration[] = [
  ...MIGRATIONS,
  {
    name: 'more',
    does: 'makes a table',
    statements: ['create table more (id bigint)', 'select pg_sleep(0.5)'],
    isOptional: true,
  },
]

const recordsOf = (minute: number) => ({
  records: [{ station: 1001, time: `2026-01-01 00:0${minute}:00`, values: { strain: minute } }],
})

test('a newer program serves beside the older one, and goes on while its optional step is taken', async () => {
  await using database = await newDatabase()
  const storageUrl = database.url
  const opsPort = await freePort()
  await using older = await withService({ site: SITE, storageUrl })
  await using newer = await withService({
    storageUrl,
    migrations: LATER,
    settings: { 'ops.port': opsPort },
  })
  const token = await older.issueToken()
  const key = await older.createKey()
  const pending = async (): Promise<string | undefined> => {
    const metrics = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text()
    return /^plumbline_pending_migrations (\d+)$/m.exec(metrics)?.[1]
  }
  const records = async (service: typeof newer): Promise<unknown[]> => {
    const response = await service.get(DATA, token)
    assert.equal(response.status, 200)
    return response.json<{ stations: { data: unknown[] }[] }>().stations[0]!.data
  }

  assert.equal((await older.ingest('theme', key, recordsOf(1))).status, 200)
  assert.equal((await newer.ingest('theme', key, recordsOf(2))).status, 200)
  assert.deepEqual(await records(older), await records(newer))
  assert.equal((await records(newer)).length, 2)
  assert.equal(await pending(), '1')
  await older[Symbol.asyncDispose]()

  await using connection = await connect(database.url)
  const state = { isMigrated: false }
  const migrating = migrate(connection, { migrating: 'allow' }, LATER).finally(() => {
    state.isMigrated = true
  })
  let served = 0
  while (!state.isMigrated) {
    assert.equal((await newer.ingest('theme', key, recordsOf(3))).status, 200)
    assert.equal((await records(newer)).length, 3)
    served++
  }

  assert.deepEqual(await migrating, ['more'])
  assert.ok(served > 3, `only ${served} requests were served meanwhile`)
  await eventually(async () => assert.equal(await pending(), '0'))
  assert.equal((await records(newer)).length, 3)
})

test('an older program stores nothing in newer tables, says why, and lets others read', async () => {
  await using database = await newDatabase()
  const storageUrl = database.url
  const opsPort = await freePort()
  await using older = await withService({
    site: SITE,
    storageUrl,
    settings: { 'ops.port': opsPort },
  })
  const token = await older.issueToken()
  const key = await older.createKey()
  await older.ingest('theme', key, recordsOf(1))
  await using connection = await connect(database.url)
  assert.deepEqual(await migrate(connection, { migrating: 'allow' }, LATER), ['more'])

  const refused = await eventually(async () => {
    const response = await older.ingest('theme', key, recordsOf(2))
    assert.equal(response.status, 503)
    return response
  })
  const read = await older.get(DATA, token)
  const ready = await fetch(`http://127.0.0.1:${opsPort}/health/ready`)

  assert.ok(Number(refused.headers['retry-after']) > 0)
  assert.match(refused.text, /was migrated to version \d+ by a newer Plumbline/)
  assert.equal(read.status, 200)
  assert.match(read.text, /"strain":1/)
  assert.equal(ready.status, 503)
  assert.match(await ready.text(), /install that version/)
})
