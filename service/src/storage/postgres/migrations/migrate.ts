import { setTimeout as sleep } from 'node:timers/promises'
import {
  isServable,
  olderError,
  servedError,
  type Migrating,
  type Migration,
  type MigrationPlan,
} from '../../migration.ts'
import type { SqlConnection } from '../connection/sql-connection.ts'
import { excludeServing, lockMigrating } from './advisory-locks.ts'
import { MIGRATIONS } from './all-migrations.ts'
import { readVersion, requireSupported } from './database-version.ts'
import { requireMayMigrate } from './require-may-migrate.ts'
import { requireUsable } from './require-usable.ts'

const SERVED_MILLISECONDS = 5_000
const LOOK_MILLISECONDS = 100

/** Says what a migration of a database would do; changes nothing. */
export async function planMigration(
  connection: SqlConnection,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<MigrationPlan> {
  await requireUsable(connection)
  const from = await requireSupported(connection, migrations.length)
  return { from, to: migrations.length, steps: migrations.slice(from) }
}

/**
 * Migrates a database, or throws why it may not; returns the names of the steps. Instances that do
 * so at once take each step once.
 */
export async function migrate(
  connection: SqlConnection,
  { migrating }: { migrating: Migrating },
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<string[]> {
  const { from, to } = await planMigration(connection, migrations)
  if (from === to) return []
  if (from > 0 && migrating === 'if-new') throw olderError(from, to)
  await requireMayMigrate(connection, from, to)
  return from === 0 ? createAll(connection, migrations) : migrateFrom(connection, from, migrations)
}

/** Creates everything in one transaction: another program sees nothing of it, or all. */
const createAll = (
  connection: SqlConnection,
  migrations: readonly Migration[],
): Promise<string[]> =>
  alone(connection, async () => {
    // Another instance may have created it meanwhile.
    if ((await readVersion(connection)) !== 0) return []
    await connection.query(
      'create table schema_version (id bigint primary key check (id = 1), version bigint not null)',
    )
    await connection.query('insert into schema_version (id, version) values (1, 0)')
    for (const [index, migration] of migrations.entries())
      await take(connection, migration, index + 1)
    return migrations.map(({ name }) => name)
  })

/** Runs each step in a transaction of its own: after an interruption the rest follows. */
async function migrateFrom(
  connection: SqlConnection,
  from: number,
  migrations: readonly Migration[],
): Promise<string[]> {
  const taken: string[] = []
  for (const [index, migration] of migrations.entries())
    if (index >= from)
      await alone(connection, async () => {
        if ((await readVersion(connection)) !== index) return
        if (!isServable(index, migrations))
          await waitUntilUnserved(connection, index, migrations.length)
        await take(connection, migration, index + 1)
        taken.push(migration.name)
      })
  return taken
}

async function take(
  connection: SqlConnection,
  { statements }: Migration,
  version: number,
): Promise<void> {
  for (const statement of statements) await connection.query(statement)
  await connection.query('update schema_version set version = $1', [version])
}

/** Runs a transaction while no other instance migrates; it may take as long as it needs. */
async function alone<Result>(
  connection: SqlConnection,
  run: () => Promise<Result>,
): Promise<Result> {
  await connection.query('begin')
  try {
    await connection.query('set local statement_timeout = 0')
    await connection.query('set local idle_in_transaction_session_timeout = 0')
    await lockMigrating(connection)
    const result = await run()
    await connection.query('commit')
    return result
  } catch (error) {
    // The first error is the reason; a connection that has ended is rolled back by the server.
    await connection.query('rollback').catch(() => undefined)
    throw error
  }
}

/** A service of the older version would fail at its next request: it has to stop first. */
async function waitUntilUnserved(
  connection: SqlConnection,
  seen: number,
  needed: number,
): Promise<void> {
  const end = performance.now() + SERVED_MILLISECONDS
  while (!(await excludeServing(connection))) {
    if (performance.now() > end) throw servedError(seen, needed)
    await sleep(LOOK_MILLISECONDS)
  }
}
