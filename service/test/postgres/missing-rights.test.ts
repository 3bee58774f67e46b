import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startChild, type Child } from '../_child.ts'
import { eventually } from '../_eventually.ts'
import { startServer } from '../_postgres.ts'
import { callHttps } from '../_service.ts'
import { KEY, makeDataFolder, TOKEN } from '../faults/_site.ts'
import { withClient } from './_client.ts'

const SCRIPT = fileURLToPath(new URL('../../../docs/postgres/roles.sql', import.meta.url))

const MISSING =
  'The role plumbline_service may not select in alarms, and not insert in theme_records: run docs/postgres/roles.sql again, or grant it.'

/** A database with the roles of the script, and a data folder for the one of the service. */
async function open() {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startServer())
  await server.query('create database site')
  const asSuperuser = (sql: string): Promise<unknown> =>
    withClient(
      { host: server.folder, port: server.port, user: 'postgres', database: 'site' },
      (client) => client.query(sql),
    )
  const script = await readFile(SCRIPT, 'utf8')
  const grant = (): Promise<unknown> => asSuperuser(script)
  await grant()
  for (const role of ['owner', 'service'])
    await asSuperuser(`alter role plumbline_${role} password '${role}'`)
  const urlOf = (role: string): string =>
    `postgres://plumbline_${role}:${role}@127.0.0.1:${server.port}/site`
  const { folder } = stack.use(await makeDataFolder(undefined, '', urlOf('owner')))
  const moved = stack.move()
  return {
    grant,
    createForeignTable: () => asSuperuser('create table of_another_program (id int)'),
    revoke: () =>
      asSuperuser(`revoke insert on theme_records from plumbline_service;
        revoke select on alarms from plumbline_service`),
    start: () => startChild(folder, { PLUMBLINE_STORAGE: urlOf('service') }),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

const send = (child: Child) =>
  callHttps(`${child.origin}/ingest/v1/theme`, child.certificate, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ records: [{ station: 1, time: Date.UTC(2026, 0), values: { v: 1 } }] }),
  })

const listAlarms = (child: Child) =>
  callHttps(`${child.origin}/api/v1/users/1/alarms?token=${TOKEN}`, child.certificate, {
    method: 'POST',
  })

const isReady = async (child: Child): Promise<void> =>
  assert.deepEqual(await child.getOps('/health/ready'), {
    status: 200,
    text: '{"status":"ready"}',
  })

const isNotReady = async (child: Child): Promise<void> =>
  assert.deepEqual(await child.getOps('/health/ready'), {
    status: 503,
    text: JSON.stringify({ name: 'Unavailable', message: MISSING }),
  })

test('a right that is taken from the role of the service makes it unavailable until it is granted', async () => {
  await using place = await open()
  await place.createForeignTable()
  await using child = await place.start()
  await isReady(child)

  await place.revoke()
  const answers = [await send(child), await listAlarms(child)]
  await eventually(() => isNotReady(child))

  for (const [at, { status, headers, text }] of answers.entries()) {
    assert.equal(status, 503, text)
    assert.equal(headers['retry-after'], '5')
    assert.match(
      text,
      new RegExp(`"name":"Unavailable".*${['theme_records', 'alarms'][at]}.*roles\\.sql again`),
    )
  }
  await eventually(() => assert.ok(child.logged.includes(MISSING)))

  await place.grant()
  await eventually(() => isReady(child))
  assert.equal((await send(child)).status, 200)
  assert.equal((await listAlarms(child)).status, 200)
})

test('a service starts without a right, says so, and is not ready', async () => {
  await using place = await open()
  await place.revoke()
  await using child = await place.start()

  await isNotReady(child)
  await eventually(() => assert.equal(child.logged.split(MISSING).length, 2))

  await place.grant()
  await eventually(() => isReady(child))
})
