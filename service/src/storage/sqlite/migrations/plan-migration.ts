import Sqlite from 'better-sqlite3'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { RefusedError } from '../../../errors/refused-error.ts'
import { codeOf } from '../../../errors/thrown.ts'
import { openOnFullDisk } from '../connection/connection.ts'
import { DATABASE_FILE } from '../connection/main-connection.ts'
import { isTemporary } from '../connection/sqlite-errors.ts'
import { DATABASE_VERSION, migrationsSince, requireSupported } from './migrate.ts'
import type { MigrationPlan } from '../../migration.ts'

/** Says what a migration of the database of a data folder would do; changes nothing. */
export function planMigration(folder: string): MigrationPlan {
  const file = join(folder, DATABASE_FILE)
  const none = `There is no database in ${folder}: nothing to migrate.`
  if (!existsSync(file)) throw new RefusedError('absent', none)
  const from = versionOf(file)
  // A start that found no space leaves an empty file.
  if (from === 0) throw new RefusedError('absent', none)
  return { from, to: DATABASE_VERSION, steps: migrationsSince(from) }
}

function versionOf(file: string): number {
  let database = new Sqlite(file)
  try {
    return requireSupported(database)
  } catch (error) {
    if (!isTemporary(codeOf(error))) throw error
    database.close()
    database = openOnFullDisk(file)
    return requireSupported(database)
  } finally {
    database.close()
  }
}
