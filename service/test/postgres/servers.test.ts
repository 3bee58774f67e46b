import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { eventually } from '../_eventually.ts'
import { newDatabase, startServer } from '../_postgres.ts'
import { withClient } from './_client.ts'
import { isAlive } from './_processes.ts'

/** The rows of one statement, on a connection of its own. */
const query = (url: string, statement: string): Promise<unknown[]> =>
  withClient({ connectionString: url, connectionTimeoutMillis: 5000 }, async (client) => {
    const { rows } = await client.query(statement)
    return rows
  })

test('two databases know nothing of each other', async () => {
  await using one = await newDatabase()
  await using other = await newDatabase()
  await query(one.url, 'create table record (id int)')

  await assert.rejects(query(other.url, 'select * from record'), { code: '42P01' })
  const intruder = Object.assign(new URL(other.url), { pathname: new URL(one.url).pathname })
  await assert.rejects(query(intruder.href, 'select * from record'), { code: '42501' })
})

test('the role of a database has a password and no other rights', async () => {
  await using database = await newDatabase()
  const wrong = Object.assign(new URL(database.url), { password: 'wrong' })

  await assert.rejects(query(wrong.href, 'select 1'), { code: '28P01' })
  await assert.rejects(query(database.url, 'create role other'), { code: '42501' })
  await assert.rejects(query(database.url, "copy (select 1) to program 'cat'"), { code: '42501' })
})

test('a database is dropped though a client is connected', async () => {
  const database = await newDatabase()
  await withClient({ connectionString: database.url }, async (client) => {
    await client.query('select 1')
    await database[Symbol.asyncDispose]()

    await assert.rejects(client.query('select 1'))
  })

  await assert.rejects(query(database.url, 'select 1'))
})

test('variables of the environment do not reach the clients', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `await import(${JSON.stringify(new URL('../_postgres.ts', import.meta.url).href)})
       console.log(Object.keys(process.env).filter((name) => name.startsWith('PG')).join())`,
    ],
    { env: { ...process.env, PGHOST: 'elsewhere', PGSSLMODE: 'require' } },
  )

  assert.equal(stdout, '\n')
})

test('a durable server has after a kill what it has acknowledged', async () => {
  await using server = await startServer({ durable: true })
  await query(server.url, 'create table record (id int)')
  await query(server.url, 'insert into record values (1), (2)')

  await server.kill()
  await assert.rejects(query(server.url, 'select 1'), { code: 'ECONNREFUSED' })
  await server.start()

  assert.deepEqual(await query(server.url, 'select id from record order by id'), [
    { id: 1 },
    { id: 2 },
  ])
  assert.deepEqual(await server.query('show fsync'), [{ fsync: 'on' }])
})

test('a server that was stopped starts again on its port', async () => {
  await using server = await startServer({ options: { work_mem: '5MB' } })

  await server.stop()
  assert.equal(server.isRunning, false)
  await server.start()

  assert.deepEqual(await query(server.url, 'show work_mem'), [{ work_mem: '5MB' }])
})

test('a paused server answers once it goes on', async () => {
  await using server = await startServer()
  await withClient({ connectionString: server.url }, async (client) => {
    server.pause()
    let isAnswered = false
    const answer = client.query('select 1 as one').then(({ rows }) => {
      isAnswered = true
      return rows
    })
    await new Promise((resolve) => setTimeout(resolve, 200))
    assert.equal(isAnswered, false)

    server.resume()

    assert.deepEqual(await answer, [{ one: 1 }])
  })
})

test('a setting that PostgreSQL refuses is in the error', async () => {
  await assert.rejects(
    startServer({ options: { shared_buffers: 'much' } }),
    /does not start: .*invalid value for parameter "shared_buffers": "much"/,
  )
})

test('nothing is left of a server whose process was killed', async () => {
  const program = `
    import { startServer } from ${JSON.stringify(new URL('../_postgres.ts', import.meta.url).href)}
    const { folder, pid } = await startServer()
    console.log(JSON.stringify({ folder, pid }))
    process.kill(process.pid, 'SIGKILL')`
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    program,
  ]).catch((error: Error & { stdout: string }) => error)
  const { folder, pid } = JSON.parse(stdout) as { folder: string; pid: number }

  await eventually(() => assert.ok(!isAlive(pid) && !existsSync(folder)))
})
