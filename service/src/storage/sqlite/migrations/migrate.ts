import type { Database } from 'better-sqlite3'
import { setTimeout as sleep } from 'node:timers/promises'
import { RefusedError } from '../../../errors/refused-error.ts'
import { dropGuards, ensureGuards } from '../integrity/guards.ts'
import { noteSchema } from '../integrity/schema-check.ts'
import { requireOwn } from '../connection/require-own.ts'
import { excludeServing } from '../connection/serving-lock.ts'
import { runKeeping } from '../kept/keep-database.ts'
import { MIGRATIONS } from './all-migrations.ts'
import {
  migratedError as migratedTo,
  newerError,
  olderError,
  servedError,
  type Migrating,
  type Migration,
} from '../../migration.ts'

export type { Migrating } from '../../migration.ts'

const SERVED_MILLISECONDS = 5_000
const LOOK_MILLISECONDS = 100

/** Databases of versions up to this one were written by pre-releases. */
const PRE_RELEASES = 17

/** The version of the database that this program reads and writes. */
export const DATABASE_VERSION = PRE_RELEASES + MIGRATIONS.length

/** The steps that bring a database to the version of this program. */
export const migrationsSince = (version: number): readonly Migration[] =>
  MIGRATIONS.slice(Math.max(0, version - PRE_RELEASES))

export const readVersion = (database: Database): number =>
  Number(database.pragma('user_version', { simple: true }))

export type MigrateOptions = {
  folder: string
  migrating: Migrating
  /** Whether the database is copied before it is migrated; default: yes. */
  keepsEarlier?: boolean | undefined
  inform?: ((sentence: string) => void) | undefined
}

/** Migrates a database, or throws why it may not; returns the names of the steps. */
export async function migrate(
  database: Database,
  { folder, migrating, keepsEarlier = true, inform = () => {} }: MigrateOptions,
): Promise<string[]> {
  const seen = requireSupported(database)
  if (seen === 0) return createAll(database)
  if (seen === DATABASE_VERSION) return []
  if (migrating === 'if-new') throw olderError(seen, DATABASE_VERSION)
  using _alone = await waitUntilUnserved(folder, seen)
  const from = readVersion(database)
  const keeping = { from, to: DATABASE_VERSION, inform }
  const runFirst = (step: () => void) =>
    keepsEarlier ? runKeeping(database, keeping, step) : database.transaction(step).immediate()
  return migrateFrom(database, { seen: from, runFirst, inform })
}

/** The version of a database; refuses one that another program, a newer one or a pre-release wrote. */
export function requireSupported(database: Database): number {
  const version = readVersion(database)
  requireOwn(database)
  if (version !== 0 && version <= PRE_RELEASES)
    throw new RefusedError(
      'unavailable',
      `The database has version ${version}, which a pre-release of Plumbline wrote and this program cannot read: start with an empty data folder and import the data again.`,
    )
  if (version > DATABASE_VERSION) throw newerError(version, DATABASE_VERSION)
  return version
}

/** Refuses reads and writes once a newer program has migrated the open database. */
export const migratedError = (version: number): RefusedError =>
  migratedTo(version, DATABASE_VERSION)

/** Creates everything in one transaction: another program sees nothing of it, or all. */
function createAll(database: Database): string[] {
  return database
    .transaction(() => {
      // Another process may have created it meanwhile.
      if (readVersion(database) !== 0) return []
      for (const migration of MIGRATIONS) take(migration, database)
      finish(database)
      return MIGRATIONS.map(({ name }) => name)
    })
    .immediate()
}

/** Runs each step in a transaction of its own: after an interruption the rest follows. */
function migrateFrom(
  database: Database,
  {
    seen,
    runFirst,
    inform,
  }: { seen: number; runFirst(step: () => void): void; inform(sentence: string): void },
): string[] {
  return migrationsSince(seen).map((migration, index) => {
    const step = (): void => {
      if (readVersion(database) !== seen + index) return
      dropGuards(database)
      take(migration, database)
      const version = seen + index + 1
      if (version === DATABASE_VERSION) finish(database)
      else database.pragma(`user_version = ${version}`)
    }
    const began = performance.now()
    const first = (): void => {
      inform(`The database is migrated from version ${seen} to version ${DATABASE_VERSION}.`)
      step()
    }
    if (index === 0) runFirst(first)
    else database.transaction(step).immediate()
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    inform(`The step ${migration.name} to version ${seen + index + 1} took ${seconds} s.`)
    return migration.name
  })
}

function take({ statements }: Migration, database: Database): void {
  for (const statement of statements) database.exec(statement)
}

/** Runs in the transaction of the last step. */
function finish(database: Database): void {
  ensureGuards(database)
  noteSchema(database)
  database.pragma(`user_version = ${DATABASE_VERSION}`)
}

/** A service of the older version would fail at its next request: it has to stop first. */
async function waitUntilUnserved(folder: string, seen: number): Promise<Disposable> {
  const end = performance.now() + SERVED_MILLISECONDS
  while (true) {
    const alone = excludeServing(folder)
    if (alone !== undefined) return alone
    if (performance.now() > end) throw servedError(seen, DATABASE_VERSION)
    await sleep(LOOK_MILLISECONDS)
  }
}
