import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Migration } from '../../src/storage/migration.ts'
import { holdServing } from '../../src/storage/postgres/migrations/advisory-locks.ts'
import { MIGRATIONS } from '../../src/storage/postgres/migrations/all-migrations.ts'
import { migrate, planMigration } from '../../src/storage/postgres/migrations/migrate.ts'
import { prepareDatabase } from '../../src/storage/postgres/prepare-database.ts'
import { newDatabase, startServer } from '../_postgres.ts'
import { withClient } from '../postgres/_client.ts'
import { connect, rowsOf } from './_postgres-connection.ts'

const NEWER: readonly Migration[] = [
  ...MIGRATIONS,
  { name: '002-more', does: 'makes more', statements: ['create table more (id bigint)'] },
  { name: '003-most', does: 'makes most', statements: ['create table most (id bigint)'] },
]

const COUNT = `select count(*)::int from pg_class where relnamespace = current_schema()::regnamespace`

describe('a database of PostgreSQL', () => {
  test('gets the tables of the program, once', async () => {
    await using database = await newDatabase()
    await using connection = await connect(database.url)

    assert.deepEqual(await planMigration(connection), { from: 0, to: 1, steps: MIGRATIONS })
    assert.deepEqual(await migrate(connection, { migrating: 'if-new' }), ['001-initial'])
    assert.deepEqual(await migrate(connection, { migrating: 'if-new' }), [])
    assert.deepEqual(await rowsOf(connection, 'select id, version from schema_version'), [
      ['1', '1'],
    ])
  })

  test('is created once by instances that start at the same time', async () => {
    await using database = await newDatabase()
    await using stack = new AsyncDisposableStack()
    const connections = await Promise.all(Array.from({ length: 8 }, () => connect(database.url)))
    for (const connection of connections) stack.use(connection)

    const taken = await Promise.all(
      connections.map((connection) => migrate(connection, { migrating: 'allow' })),
    )

    assert.deepEqual(taken.flat(), ['001-initial'])
  })

  test('takes each further step once, whoever starts', async () => {
    await using database = await newDatabase()
    await using first = await connect(database.url)
    await using second = await connect(database.url)
    await migrate(first, { migrating: 'allow' })

    const taken = await Promise.all(
      [first, second].map((one) => migrate(one, { migrating: 'allow' }, NEWER)),
    )

    assert.deepEqual(taken.flat().toSorted(), ['002-more', '003-most'])
    assert.equal((await planMigration(first, NEWER)).from, 3)
  })

  test('keeps the steps that were taken before one failed', async () => {
    await using database = await newDatabase()
    await using connection = await connect(database.url)
    const failing = [
      ...NEWER.slice(0, 2),
      { name: '003', does: 'fails', statements: ['create table most (id bigint)', 'select 1 / 0'] },
    ]
    await migrate(connection, { migrating: 'allow' })

    await assert.rejects(migrate(connection, { migrating: 'allow' }, failing), /division by zero/)

    assert.equal((await planMigration(connection, NEWER)).from, 2)
    assert.deepEqual(await migrate(connection, { migrating: 'allow' }, NEWER), ['003-most'])
  })

  test('is as empty as before when its creation fails', async () => {
    await using database = await newDatabase()
    await using connection = await connect(database.url)
    const failing = [...MIGRATIONS, { name: '002', does: 'fails', statements: ['select 1 / 0'] }]

    await assert.rejects(migrate(connection, { migrating: 'allow' }, failing), /division by zero/)

    assert.deepEqual(await rowsOf(connection, COUNT), [[0]])
  })

  test('that is newer is refused, and one that is older by commands', async () => {
    await using database = await newDatabase()
    await using connection = await connect(database.url)
    await migrate(connection, { migrating: 'allow' })

    await assert.rejects(migrate(connection, { migrating: 'if-new' }, NEWER), {
      reason: 'unavailable',
      message:
        'The database has version 1, this command needs 3: run "plumbline migrate" or start the service.',
    })
    await migrate(connection, { migrating: 'allow' }, NEWER)
    await assert.rejects(migrate(connection, { migrating: 'allow' }), {
      reason: 'unavailable',
      message:
        'The database was written by a newer Plumbline: it has version 3, this program needs 1. Install that version or restore a backup made before the upgrade.',
    })
  })

  test('that is served is not migrated until the service stops', async () => {
    await using database = await newDatabase()
    await using connection = await connect(database.url)
    await migrate(connection, { migrating: 'allow' })
    {
      await using service = await connect(database.url)
      await holdServing(service)
      await assert.rejects(migrate(connection, { migrating: 'allow' }, NEWER), {
        message:
          'The database has version 1, and a Plumbline of that version serves it: stop that one before you migrate to version 3.',
      })
      assert.deepEqual(await migrate(connection, { migrating: 'allow' }), [])
    }
    assert.equal((await migrate(connection, { migrating: 'allow' }, NEWER)).length, 2)
  })

  test('of another program is refused, also with a table of the same name', async () => {
    for (const table of [
      'orders (id int)',
      'schema_version (installed_rank int)',
      'meta (a int)',
    ]) {
      await using database = await newDatabase()
      await using connection = await connect(database.url)
      await connection.query(`create table ${table}`)

      await assert.rejects(migrate(connection, { migrating: 'allow' }), {
        reason: 'invalid',
        message:
          /^The schema public of the database test_\w+ has tables of another program, and none/,
      })
    }
  })

  test('has its tables in the schema of the search path', async () => {
    await using database = await newDatabase()
    await using other = await connect(database.url)
    await other.query('create table orders (id int)')
    const url = `${database.url}?options=-c%20search_path%3Dbridges`
    await using connection = await connect(url)

    await assert.rejects(migrate(connection, { migrating: 'allow' }), {
      message:
        'No schema of the search path exists (search_path is bridges): create the schema, or change the search path of the role.',
    })
    await other.query('create schema bridges')
    await migrate(connection, { migrating: 'allow' })

    assert.deepEqual(
      await rowsOf(other, `select count(*)::int from pg_tables where schemaname = 'public'`),
      [[1]],
    )
    assert.deepEqual(await rowsOf(other, 'select version::int from bridges.schema_version'), [[1]])
  })

  test('is prepared for a service, and refused where a command needs one that exists', async () => {
    await using database = await newDatabase()
    await using connection = await connect(database.url)
    const said: string[] = []
    const options = {
      warn: (text: string) => said.push(text),
      inform: (text: string) => said.push(text),
    }

    await assert.rejects(prepareDatabase(connection, { mayCreate: false }), {
      reason: 'absent',
      message: /^There are no tables of Plumbline in the database test_\w+: check --storage; /,
    })
    await prepareDatabase(connection, options)
    await connection.query('set synchronous_commit = off')
    await prepareDatabase(connection, { ...options, mayCreate: false })

    assert.match(said[0] ?? '', /^The tables of Plumbline were created in the database test_/)
    const isOff = (name: string) => said.filter((line) => line.startsWith(`The database: ${name}`))
    assert.equal(isOff('synchronous_commit is off').length, 1)
    assert.equal(isOff('fsync is off').length, 2)
    assert.equal(isOff('full_page_writes is off').length, 2)
    assert.equal(isOff('data checksums are off').length, 2)
  })
})

describe('a server of PostgreSQL', () => {
  test('that keeps what it acknowledges causes no warning', async () => {
    await using server = await startServer({ durable: true })
    await using connection = await connect(server.url)
    const warnings: string[] = []

    await prepareDatabase(connection, { warn: (text) => warnings.push(text) })

    assert.deepEqual(warnings, [])
  })

  test('has databases of other encodings, which are refused', async () => {
    await using server = await startServer()
    await server.query(
      `create database latin encoding 'LATIN1' template template0 locale 'C' owner plumbline`,
    )
    await using connection = await connect(server.url.replace(/plumbline$/, 'latin'))

    await assert.rejects(migrate(connection, { migrating: 'allow' }), {
      message: /^The database has the encoding LATIN1; Plumbline needs UTF8: create the database/,
    })
  })

  test('older than 15 is refused', async () => {
    const row = { number: 140_009, version: '14.9', encoding: 'UTF8', schema: 'public', path: '' }
    const connection = { query: () => Promise.resolve({ rows: [row] }) }

    await assert.rejects(migrate(connection, { migrating: 'allow' }), {
      reason: 'invalid',
      message: 'The server is PostgreSQL 14.9; Plumbline needs version 15 or newer.',
    })
  })

  test('lets only the owner migrate', async () => {
    await using server = await startServer()
    await withClient(
      { host: server.folder, port: server.port, user: 'postgres', database: 'plumbline' },
      (client) => client.query(`create role other login password 'other'`),
    )
    const url = server.url.replace(/\/\/[^@]*@/, '//other:other@')
    await using owner = await connect(server.url)
    await using other = await connect(url)

    await assert.rejects(migrate(other, { migrating: 'allow' }), {
      reason: 'forbidden',
      message:
        /^The database has no tables of Plumbline yet, and the role other may not create them: /,
    })
    await migrate(owner, { migrating: 'allow' })
    await owner.query('grant select on all tables in schema public to other')
    assert.deepEqual(await migrate(other, { migrating: 'allow' }), [])
    await assert.rejects(migrate(other, { migrating: 'allow' }, NEWER), {
      reason: 'forbidden',
      message:
        /^The database has version 1, this program needs 3, and the role other may not change its tables: /,
    })
  })
})
