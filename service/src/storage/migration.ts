import { RefusedError } from '../errors/refused-error.ts'

/** A step from one version of the database to the next. */
export type Migration = {
  name: string
  /** What the step does, in a few words for operators. */
  does: string
  statements: readonly string[]
  /** Whether it only adds what this program can do without: it serves before and after the step. */
  isOptional?: boolean
}

/** The oldest version that a program with these migrations can serve. */
export const leastVersion = (migrations: readonly Migration[]): number =>
  1 + migrations.findLastIndex(({ isOptional }) => isOptional !== true)

/** Whether a database of a version can be served before its pending steps are taken. */
export const isServable = (version: number, migrations: readonly Migration[]): boolean =>
  version > 0 && version >= leastVersion(migrations)

/** Says that steps are pending which the program can do without. */
export const describePending = (version: number, needed: number): string =>
  `The database has version ${version}, and this program knows ${needed}. It serves both: run "plumbline migrate" when no instance of an older version runs any more.`

/** Whether an older database may be migrated. A new one is created in either case. */
export type Migrating = 'allow' | 'if-new'

/** The version of a database, the one that this program needs, and the steps between them. */
export type MigrationPlan = { from: number; to: number; steps: readonly Migration[] }

const RETRY_SECONDS = 60

/** A command found an older database, which only some commands migrate. */
export const olderError = (seen: number, needed: number): RefusedError =>
  new RefusedError(
    'unavailable',
    `The database has version ${seen}, this command needs ${needed}: run "plumbline migrate" or start the service.`,
  )

export const newerError = (seen: number, needed: number): RefusedError =>
  new RefusedError(
    'unavailable',
    `The database was written by a newer Plumbline: it has version ${seen}, this program needs ${needed}. Install that version or restore a backup made before the upgrade.`,
  )

/** Refuses reads and writes once a newer program has migrated the open database. */
export const migratedError = (version: number, known: number): RefusedError =>
  new RefusedError(
    'unavailable',
    `The database was migrated to version ${version} by a newer Plumbline; this one knows ${known}: install that version.`,
    { retryAfterSeconds: RETRY_SECONDS },
  )

/** A service of the older version would fail at its next request: it has to stop first. */
export const servedError = (seen: number, needed: number): RefusedError =>
  new RefusedError(
    'unavailable',
    `The database has version ${seen}, and a Plumbline of that version serves it: stop that one before you migrate to version ${needed}.`,
  )
