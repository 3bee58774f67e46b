import Sqlite from 'better-sqlite3'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { RefusedError } from '../../domain/refused-error.ts'
import { DATABASE_FILE } from './main-connection.ts'
import { DATABASE_VERSION, readVersion, requireKnown } from './migrate.ts'
import { MIGRATIONS, type Migration } from './migrations/index.ts'

export type MigrationPlan = { from: number; to: number; steps: readonly Migration[] }

/** What a migration of the database of a data folder would do; changes nothing. */
export function planMigration(folder: string): MigrationPlan {
  const file = join(folder, DATABASE_FILE)
  if (!existsSync(file))
    throw new RefusedError('absent', `There is no database in ${folder}: nothing to migrate.`)
  const database = new Sqlite(file)
  try {
    const from = readVersion(database)
    requireKnown(from)
    return { from, to: DATABASE_VERSION, steps: MIGRATIONS.slice(from) }
  } finally {
    database.close()
  }
}
