import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CitusCluster } from '../_citus.ts'
import { eventually } from '../_eventually.ts'
import { withClient } from '../postgres/_client.ts'

test('a distributed table answers, and again after a worker was killed and started', async () => {
  await using cluster = await CitusCluster.start()
  await withClient({ connectionString: cluster.url }, async (client) => {
    await client.query(
      'create table record (source bigint, time bigint, primary key (source, time))',
    )
    await client.query("select create_distributed_table('record', 'source', shard_count => 4)")
    await client.query('insert into record select id, 0 from generate_series(1, 40) as id')
    const count = async () => (await client.query('select count(*)::int from record')).rows
    const shards = await client.query(
      'select distinct nodeport from citus_shards where table_name = $1::regclass',
      ['record'],
    )

    assert.equal(shards.rowCount, 2)
    assert.deepEqual(await count(), [{ count: 40 }])

    await cluster.killWorker(1)
    await assert.rejects(count(), { code: '08006' })

    await cluster.startWorker(1)
    await eventually(async () => assert.deepEqual(await count(), [{ count: 40 }]))
  })
})
