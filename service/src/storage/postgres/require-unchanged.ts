import { RefusedError } from '../../errors/refused-error.ts'
import { migratedError, olderError } from '../migration.ts'
import type { SqlConnection } from './connection/sql-connection.ts'
import { isDistributed } from './distribution/find-distribution.ts'
import { DATABASE_VERSION, readVersion } from './migrations/database-version.ts'

/** Refuses a database that another program has changed in a way that this one does not know. */
export async function requireUnchanged(
  connection: SqlConnection,
  wasDistributed: boolean,
): Promise<void> {
  const version = await readVersion(connection)
  if (version > DATABASE_VERSION) throw migratedError(version, DATABASE_VERSION)
  if (version < DATABASE_VERSION) throw olderError(version, DATABASE_VERSION)
  if ((await isDistributed(connection)) !== wasDistributed)
    throw new RefusedError(
      'unavailable',
      'The tables of the database were distributed while this program had lost its connection: start it again.',
    )
}
