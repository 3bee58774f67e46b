import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Migration } from '../../src/storage/migration.ts'
import { MIGRATIONS } from '../../src/storage/postgres/migrations/all-migrations.ts'
import { migrate } from '../../src/storage/postgres/migrations/migrate.ts'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import { newDatabase } from '../_postgres.ts'
import { connect } from './_postgres-connection.ts'

const step = (name: string, isOptional: boolean): Migration => ({
  name,
  does: 'makes a table',
  statements: [`create table ${name} (id bigint)`],
  isOptional,
})
const OPTIONAL = [...MIGRATIONS, step('more', true), step('most', true)]
const NEEDED = [...MIGRATIONS, step('more', true), step('most', false)]

describe('a rolling upgrade of PostgreSQL', () => {
  test('serves the older schema beside the older program, then takes two optional steps', async () => {
    await using database = await newDatabase()
    await using old = await openPostgres(database.url, {
      poolSize: 4,
      statementTimeoutSeconds: 60,
      isServed: true,
    })
    const warnings: string[] = []
    await using renewed = await openPostgres(database.url, {
      poolSize: 4,
      statementTimeoutSeconds: 60,
      isServed: true,
      migrations: OPTIONAL,
      warn: (text) => warnings.push(text),
    })
    await old.check()
    await renewed.check()
    assert.equal(renewed.countPendingMigrations(), 2)
    assert.ok(
      warnings.some((text) =>
        text.startsWith('The database has version 1, and this program knows 3.'),
      ),
    )

    await using connection = await connect(database.url)
    assert.deepEqual(await migrate(connection, { migrating: 'allow' }, OPTIONAL), ['more', 'most'])

    await renewed.check()
    assert.equal(renewed.countPendingMigrations(), 0)
    await assert.rejects(old.check(), {
      reason: 'unavailable',
      message: /^The database was migrated to version 3 by a newer Plumbline; this one knows 1/,
    })
    await assert.rejects(openPostgres(database.url, { poolSize: 4, statementTimeoutSeconds: 60 }), {
      message: /^The database was written by a newer Plumbline: it has version 3/,
    })
  })

  test('is refused while a step is pending that the program needs', async () => {
    await using database = await newDatabase()
    await using old = await openPostgres(database.url, {
      poolSize: 4,
      statementTimeoutSeconds: 60,
      isServed: true,
    })

    await assert.rejects(
      openPostgres(database.url, {
        poolSize: 4,
        statementTimeoutSeconds: 60,
        isServed: true,
        migrations: NEEDED,
      }),
      {
        message:
          'The database has version 1, and a Plumbline of that version serves it: stop that one before you migrate to version 3.',
      },
    )
    await old.check()
  })
})
