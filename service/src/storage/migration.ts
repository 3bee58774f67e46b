import { RefusedError } from '../errors/refused-error.ts'

/** A step from one version of the database to the next. */
export type Migration = {
  name: string
  /** What the step does, in a few words for operators. */
  does: string
  statements: readonly string[]
}

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
