import assert from 'node:assert/strict'
import { before, after, test } from 'node:test'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import { openConnection } from '../../src/storage/postgres/connection/open-connection.ts'
import { distribute, planDistribution } from '../../src/storage/postgres/distribution/distribute.ts'
import { CitusCluster } from '../_citus.ts'
import { workplace } from '../cli/_cli.ts'
import { newDatabase } from '../_postgres.ts'
import { minutes, readRecords, rowsOf } from '../storage/_place.ts'
import { CONNECTIONS, newTables } from './_distributed.ts'

let cluster: CitusCluster

before(async () => {
  cluster = await CitusCluster.start()
})
after(() => cluster[Symbol.asyncDispose]())

const command = (url: string, ...more: string[]) =>
  ['storage', 'distribute', '--storage', url, '--shards', '4', ...more] as const

test('a filled store is distributed, and gives the same records; the command says what it did', async () => {
  await using place = await workplace()
  const url = await newTables(cluster)
  const fill = async () => {
    await using storage = await openPostgres(url, CONNECTIONS)
    for (const source of [1, 2, 3])
      await storage.records.write({ theme: rowsOf(source, minutes(50)) })
  }
  await fill()

  const plan = await place.run(command(url, '--dry-run'))
  assert.match(plan.stdout, /theme_records +workers, by source/)
  assert.match(plan.stdout, /tokens +coordinator/)
  assert.match(plan.stdout, /dry run: nothing was changed/)
  const byDefault = await place.json('storage', 'distribute', '--storage', url, '--dry-run')
  assert.equal(byDefault.shards, 8)
  const done = await place.run(command(url))
  assert.equal(done.code, 0, done.stderr)
  assert.match(done.stdout, /The tables are distributed\./)
  const again = await place.run(command(url))
  assert.match(again.stdout, /The tables are distributed already\./)

  await using storage = await openPostgres(url, CONNECTIONS)
  assert.equal((await readRecords(storage, { source: 2 })).length, 50)
  const refused = await place.run(command(url))
  assert.notEqual(refused.code, 0)
  assert.match(refused.stderr, /Tables are distributed while nothing else uses the database/)
})

test('after an interruption no storage opens, and the command goes on', async () => {
  await using place = await workplace()
  const url = await newTables(cluster)
  {
    await using connection = await openConnection(url, CONNECTIONS)
    const plan = await planDistribution(connection, { shards: 4 })
    assert.equal(await distribute(connection, plan, (done) => done === 3), 3)
  }

  await assert.rejects(
    openPostgres(url, CONNECTIONS),
    /distributed in part; .*Run "plumbline storage/,
  )

  const { tables, isDistributed } = await place.json(...command(url))
  assert.equal(isDistributed, true)
  assert.ok(!tables.some(({ table }: { table: string }) => table === 'theme_records'))
  await using _storage = await openPostgres(url, CONNECTIONS)
})

test('a database without Citus, and a data folder, are refused', async () => {
  await using place = await workplace()
  await using database = await newDatabase()
  await using _storage = await openPostgres(database.url, CONNECTIONS)

  const plain = await place.run(command(database.url, '--dry-run'))
  assert.match(plain.stderr, /has no Citus extension/)

  const folder = await place.run(['storage', 'distribute'])
  assert.match(folder.stderr, /Only a database of PostgreSQL with the Citus extension/)

  const shards = await place.run([...command(database.url), '--shards', 'many'])
  assert.match(shards.stderr, /--shards must be a number from 1 to 1024, not "many"/)
})
