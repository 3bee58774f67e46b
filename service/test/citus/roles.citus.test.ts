import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  describeExcess,
  findMissingRights,
} from '../../src/storage/postgres/connection/privileges.ts'
import { openConnection } from '../../src/storage/postgres/connection/open-connection.ts'
import { migrate } from '../../src/storage/postgres/migrations/migrate.ts'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import { CitusCluster } from '../_citus.ts'
import { withClient } from '../postgres/_client.ts'
import { minutes, readRecords, rowsOf } from '../storage/_place.ts'
import { CONNECTIONS, distributeTables } from './_distributed.ts'

const SCRIPT = fileURLToPath(new URL('../../../docs/postgres/roles.sql', import.meta.url))

test('the owner distributes, the service reads and writes, and neither does more', async () => {
  await using cluster = await CitusCluster.start()
  const script = await readFile(SCRIPT, 'utf8')
  await withClient({ connectionString: cluster.url }, (client) => client.query(script))
  const urlOf = (role: string) => cluster.url.replace('postgres@', `plumbline_${role}@`)
  {
    await using owner = await openConnection(urlOf('owner'), CONNECTIONS)
    await migrate(owner, { migrating: 'allow' })
  }
  await distributeTables(urlOf('owner'), { shards: 4 })

  await using storage = await openPostgres(urlOf('service'), CONNECTIONS)
  const times = minutes(3)
  for (const source of [1, 2, 3, 4]) await storage.records.write({ theme: rowsOf(source, times) })
  const { theme } = await storage.records.write({ theme: rowsOf(2, times) })

  assert.equal(theme.replaced, 3)
  assert.equal((await readRecords(storage, { source: 2 })).length, 3)
  await using service = await openConnection(urlOf('service'), CONNECTIONS)
  assert.equal(await findMissingRights(service), undefined)
  assert.deepEqual(await describeExcess(service), [])
  for (const sql of [
    'create table other (id int)',
    'drop table theme_records',
    'truncate theme_records',
    `select create_distributed_table('tokens', 'hash')`,
    `select citus_add_node('127.0.0.1', 1)`,
    'select recover_prepared_transactions()',
  ])
    await assert.rejects(service.query(sql), /must be owner|permission denied/, sql)
})
