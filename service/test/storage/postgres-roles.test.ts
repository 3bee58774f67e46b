import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  describeExcess,
  findMissingRights,
} from '../../src/storage/postgres/connection/privileges.ts'
import { migrate } from '../../src/storage/postgres/migrations/migrate.ts'
import { prepareDatabase } from '../../src/storage/postgres/prepare-database.ts'
import { startServer } from '../_postgres.ts'
import { withClient } from '../postgres/_client.ts'
import { connect, rowsOf } from './_postgres-connection.ts'

const SCRIPT = fileURLToPath(new URL('../../../docs/postgres/roles.sql', import.meta.url))

/** A server with a database in which the script was run. */
async function open() {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startServer())
  await server.query('create database site')
  const asSuperuser = (sql: string) =>
    withClient(
      { host: server.folder, port: server.port, user: 'postgres', database: 'site' },
      (client) => client.query(sql),
    )
  const script = await readFile(SCRIPT, 'utf8')
  await asSuperuser(script)
  for (const role of ['owner', 'service'])
    await asSuperuser(`alter role plumbline_${role} password '${role}'`)
  const urlOf = (role: string) =>
    `postgres://plumbline_${role}:${role}@127.0.0.1:${server.port}/site`
  const owner = stack.use(await connect(urlOf('owner')))
  const service = stack.use(await connect(urlOf('service')))
  const moved = stack.move()
  return {
    asSuperuser,
    script,
    server,
    owner,
    service,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

const TABLES = `select relname from pg_class where relnamespace = 'public'::regnamespace
  and relkind = 'r' order by relname`

test('the role of the service does every statement, and changes no table', async () => {
  await using place = await open()
  const { owner, service } = place

  await assert.rejects(migrate(service, { migrating: 'allow' }), { reason: 'forbidden' })
  await migrate(owner, { migrating: 'allow' })
  await prepareDatabase(service, { mayCreate: false })

  const tables = (await rowsOf(service, TABLES)).map(([name]) => String(name))
  assert.ok(tables.length > 40, String(tables.length))
  for (const table of tables) {
    const [[column] = []] = await rowsOf(
      service,
      `select column_name from information_schema.columns
        where table_name = '${table}' and is_generated = 'NEVER' limit 1`,
    )
    for (const sql of [
      `select * from ${table} for update`,
      `insert into ${table} select * from ${table} where false`,
      `update ${table} set ${String(column)} = ${String(column)}`,
    ])
      if (!sql.startsWith('insert into rejects ')) await service.query(sql)
    for (const sql of [
      `alter table ${table} add column other int`,
      `truncate ${table}`,
      `drop table ${table}`,
      `create index on ${table} (${String(column)})`,
      `alter table ${table} disable trigger all`,
    ])
      await assert.rejects(service.query(sql), /must be owner of|permission denied/, sql)
    await service.query('begin')
    await service.query(`delete from ${table}`)
    await service.query('rollback')
  }
  for (const sql of [
    'create table other (id int)',
    'create temporary table other (id int)',
    'create function other() returns int language sql as $$ select 1 $$',
    'create schema other',
    'create extension pg_trgm',
    `copy meta to program 'cat'`,
    'set role plumbline_owner',
  ])
    await assert.rejects(service.query(sql), /permission denied|must be superuser/, sql)
})

test('the role of the service inserts with ids and triggers', async () => {
  await using place = await open()
  const { owner, service } = place
  await migrate(owner, { migrating: 'allow' })

  await service.query(`insert into default_groups (structure_id, factor_id) values (1, 1)`)
  await service.query(
    `insert into rejects (kind, origin, source, place, reason, payload, received_at)
      values ('mqtt', 'a', 'a', '', '', '', 0)`,
  )

  assert.deepEqual(await rowsOf(service, 'select id from default_groups'), [['2000000001']])
  assert.deepEqual(await rowsOf(service, 'select bytes from reject_bytes'), [['64']])
})

test('the script runs again, and gives back what was taken away and takes what was given', async () => {
  await using place = await open()
  const { asSuperuser, owner, service, script } = place
  await migrate(owner, { migrating: 'allow' })
  const look = async () => [await findMissingRights(service), await describeExcess(service)]
  assert.deepEqual(await look(), [undefined, []])

  await asSuperuser(`revoke delete on meta, positions from plumbline_service;
    grant create on schema public to plumbline_service`)
  const missing = await findMissingRights(service)
  const [excess] = await describeExcess(service)
  await asSuperuser(script)

  assert.deepEqual(missing, {
    sentence:
      'The role plumbline_service may not delete in meta, positions: run docs/postgres/roles.sql again, or grant it.',
    preventReading: false,
  })
  assert.match(excess ?? '', /^The role plumbline_service may create tables\. A service needs /)
  assert.deepEqual(await look(), [undefined, []])
})

test('other roles cannot connect to the database', async () => {
  await using place = await open()
  const { server, asSuperuser } = place
  await asSuperuser(`create role other login password 'other'`)

  await assert.rejects(connect(`postgres://other:other@127.0.0.1:${server.port}/site`), {
    message: /cannot be used: permission denied for database "site"\. Grant it, or run docs\//,
  })
})
