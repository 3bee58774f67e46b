import { RefusedError } from '../../errors/refused-error.ts'
import { isServable, migratedError, olderError, type Migration } from '../migration.ts'
import type { SqlConnection } from './connection/sql-connection.ts'
import { isDistributed } from './distribution/find-distribution.ts'
import { MIGRATIONS } from './migrations/all-migrations.ts'
import { readVersion } from './migrations/database-version.ts'

/** Refuses a database that another program has changed in a way that this one does not know. */
export async function requireUnchanged(
  connection: SqlConnection,
  wasDistributed: boolean,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const version = await readVersion(connection)
  const newest = migrations.length
  if (version > newest) throw migratedError(version, newest)
  if (!isServable(version, migrations)) throw olderError(version, newest)
  if ((await isDistributed(connection)) !== wasDistributed)
    throw new RefusedError(
      'unavailable',
      'The tables of the database were distributed while this program had lost its connection: start it again.',
    )
}
