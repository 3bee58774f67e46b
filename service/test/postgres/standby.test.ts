import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../_eventually.ts'
import { startServer } from '../_postgres.ts'
import { withClient } from './_client.ts'

const query = (url: string, statement: string): Promise<unknown[]> =>
  withClient({ connectionString: url }, async (client) => (await client.query(statement)).rows)

test('a standby gets the rows of its primary, and only reads', async () => {
  await using primary = await startServer()
  await query(primary.url, 'create table record as select 1 as id')
  await using standby = await primary.standby()
  await query(primary.url, 'insert into record values (2)')

  await eventually(async () =>
    assert.deepEqual(await query(standby.url, 'select id from record order by id'), [
      { id: 1 },
      { id: 2 },
    ]),
  )
  await assert.rejects(query(standby.url, 'insert into record values (3)'), { code: '25006' })
})

test('a promoted standby has what its killed primary has acknowledged, and takes more', async () => {
  await using primary = await startServer({ durable: true })
  await using standby = await primary.standby()
  await query(primary.url, 'create table record as select 1 as id')

  await primary.kill()
  await standby.promote()
  await query(standby.url, 'insert into record values (2)')

  assert.deepEqual(await query(standby.url, 'select id from record order by id'), [
    { id: 1 },
    { id: 2 },
  ])
})

test('a commit waits for the standby, until that is gone', async () => {
  await using primary = await startServer()
  await query(primary.url, 'create table record (id int)')
  const standby = await primary.standby()
  standby.pause()
  let isCommitted = false
  const commit = query(primary.url, 'insert into record values (1)').then(() => {
    isCommitted = true
  })
  await wait(300)
  assert.equal(isCommitted, false)

  await standby[Symbol.asyncDispose]()

  await commit
})
