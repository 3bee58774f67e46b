import type { Database } from 'better-sqlite3'
import { setTimeout as sleep } from 'node:timers/promises'
import { RefusedError } from '../../../errors/refused-error.ts'
import { dropGuards, ensureGuards } from '../integrity/guards.ts'
import { noteSchema } from '../integrity/schema-check.ts'
import { excludeServing } from '../connection/serving-lock.ts'
import { MIGRATIONS } from './index.ts'
import type { Migration } from './migration.ts'

/** What is done where a database is older than the program; a new one is always made. */
export type Migrating = 'allow' | 'if-new'

const SERVED_MILLISECONDS = 5_000
const LOOK_MILLISECONDS = 100
const RETRY_SECONDS = 60

/** Databases of versions up to this one were written by pre-releases. */
const PRE_RELEASES = 16

/** The version that a program of these sources reads and writes. */
export const DATABASE_VERSION = PRE_RELEASES + MIGRATIONS.length

/** The steps that bring a database to the version of this program. */
export const migrationsSince = (version: number): readonly Migration[] =>
  MIGRATIONS.slice(Math.max(0, version - PRE_RELEASES))

export const readVersion = (database: Database): number =>
  database.pragma('user_version', { simple: true }) as number

/** Brings a database up to date or says why it stays as it is; returns the steps that were done. */
export async function migrate(
  database: Database,
  { folder, migrating }: { folder: string; migrating: Migrating },
): Promise<string[]> {
  const seen = requireKnown(database)
  if (seen === 0) return createAll(database)
  if (seen === DATABASE_VERSION) return []
  if (migrating === 'if-new')
    throw new RefusedError(
      'unavailable',
      `The database has version ${seen}, this command needs ${DATABASE_VERSION}: run "plumbline migrate" or start the service.`,
    )
  using _alone = await waitUntilUnserved(folder, seen)
  return migrateFrom(database, readVersion(database))
}

/** The version of a database; refuses one that a newer program or a pre-release has written. */
export function requireKnown(database: Database): number {
  const version = readVersion(database)
  if (version !== 0 && version <= PRE_RELEASES)
    throw new RefusedError(
      'unavailable',
      `The database has version ${version}, which a pre-release of Plumbline wrote and this program cannot read: start with an empty data folder and import the data again.`,
    )
  if (version > DATABASE_VERSION)
    throw new RefusedError(
      'unavailable',
      `The database was written by a newer Plumbline: it has version ${version}, this program needs ${DATABASE_VERSION}. Install that version or restore a backup made before the upgrade.`,
    )
  return version
}

/** What is said once a newer program has migrated the database that this one has open. */
export const migratedError = (version: number): RefusedError =>
  new RefusedError(
    'unavailable',
    `The database was migrated to version ${version} by a newer Plumbline; this one knows ${DATABASE_VERSION}: install that version.`,
    { retryAfterSeconds: RETRY_SECONDS },
  )

/** All at once: another program sees nothing of it, or everything. */
function createAll(database: Database): string[] {
  return database
    .transaction(() => {
      // Another process may have been here first.
      if (readVersion(database) !== 0) return []
      for (const migration of MIGRATIONS) take(migration, database)
      finish(database)
      return MIGRATIONS.map(({ name }) => name)
    })
    .immediate()
}

/** Each step in a transaction of its own: cut short, it goes on with the next one. */
function migrateFrom(database: Database, seen: number): string[] {
  return migrationsSince(seen).map((migration, index) => {
    database
      .transaction(() => {
        if (readVersion(database) !== seen + index) return
        dropGuards(database)
        take(migration, database)
        const version = seen + index + 1
        if (version === DATABASE_VERSION) finish(database)
        else database.pragma(`user_version = ${version}`)
      })
      .immediate()
    return migration.name
  })
}

function take({ statements }: Migration, database: Database): void {
  for (const statement of statements) database.exec(statement)
}

/** Within the transaction of the last step. */
function finish(database: Database): void {
  ensureGuards(database)
  noteSchema(database)
  database.pragma(`user_version = ${DATABASE_VERSION}`)
}

/** An older service would fail from its next request on: it has to stop first. */
async function waitUntilUnserved(folder: string, seen: number): Promise<Disposable> {
  const end = performance.now() + SERVED_MILLISECONDS
  while (true) {
    const alone = excludeServing(folder)
    if (alone !== undefined) return alone
    if (performance.now() > end)
      throw new RefusedError(
        'unavailable',
        `The database has version ${seen}, and a Plumbline of that version serves it: stop that one before you migrate to version ${DATABASE_VERSION}.`,
      )
    await sleep(LOOK_MILLISECONDS)
  }
}
