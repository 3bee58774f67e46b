import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { DATABASE_VERSION } from '../../src/storage/sqlite/migrations/migrate.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { SOURCE_PROGRAM } from '../_program.ts'
import { MADE_UP } from './_test-migrations.ts'

export const CURRENT = DATABASE_VERSION
export const NEWER = CURRENT + MADE_UP.length

/** The environment in which the program is one of the version `NEWER`. */
export const NEWER_PROGRAM = {
  NODE_OPTIONS: `--import ${new URL('./_test-migrations.ts', import.meta.url).href}`,
  MADE_UP_MIGRATIONS: '1',
  TEST_PROGRAM: SOURCE_PROGRAM,
}

/** The version of the database of a data folder, or of another file there. */
export function versionOf(folder: string, file = 'plumbline.db'): number {
  const database = new Sqlite(join(folder, file), { readonly: true })
  const version = database.pragma('user_version', { simple: true }) as number
  database.close()
  return version
}

/** Does something to the database of a data folder, from outside. */
export function change(folder: string, alter: (database: Sqlite.Database) => void): void {
  const database = new Sqlite(join(folder, 'plumbline.db'))
  alter(database)
  database.close()
}

/** Makes a data folder of this version. */
export async function makeCurrent(folder: string): Promise<void> {
  await (await openSqlite(folder))[Symbol.asyncDispose]()
}

/** Makes a data folder as a pre-release left it; of its tables nothing is read. */
export async function makePreRelease(folder: string, version: number): Promise<void> {
  await makeCurrent(folder)
  change(folder, (database) => void database.pragma(`user_version = ${version}`))
}
