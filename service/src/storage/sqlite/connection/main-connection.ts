import type { Database } from 'better-sqlite3'
import { join } from 'node:path'
import { DamageError } from '../../../errors/damage-error.ts'
import { RefusedError } from '../../../errors/refused-error.ts'
import { codeOf } from '../../../errors/thrown.ts'
import { openOnFullDisk, openForReading, openForWriting } from './connection.ts'
import {
  DATABASE_VERSION,
  migrate,
  readVersion,
  requireSupported,
  type Migrating,
} from '../migrations/migrate.ts'
import { hasNoInodes } from './free-inodes.ts'
import { checkSchema } from '../integrity/schema-check.ts'
import { explainBlockedWrites, isMalformed, isTemporary, notStoredError } from './sqlite-errors.ts'

export const DATABASE_FILE = 'plumbline.db'

type MainConnectionOptions = {
  folder: string
  migrating: Migrating
  /** Whether the database is copied before it is migrated; default: yes. */
  keepsEarlier?: boolean | undefined
  /** Receives a sentence about the copy. */
  inform?: ((sentence: string) => void) | undefined
  /** Receives a sentence about each table, index or trigger that this program did not make. */
  warn?(sentence: string): void
}

/** The connection that reads, and the reason where nothing can be written. */
type MainConnection = { database: Database; blockedBy: RefusedError | undefined }

/**
 * Creates or migrates the database, and opens it for reading. Where nothing can be written it opens
 * an existing database without either.
 */
export async function openMain(opening: MainConnectionOptions): Promise<MainConnection> {
  const file = join(opening.folder, DATABASE_FILE)
  let first: Database
  try {
    first = openForWriting(file, 'FULL')
  } catch (error) {
    throwIfMalformed(file, error)
    return openReadOnly(opening, error)
  }
  try {
    await migrate(first, opening)
    for (const sentence of checkSchema(first)) opening.warn?.(sentence)
    // The first connection closes after the second has opened: the last connection to close copies
    // the whole log back.
    return { database: openForReading(file), blockedBy: undefined }
  } catch (error) {
    throwIfMalformed(file, error)
    throw explainMigrationFailure(error, readVersion(first), opening.folder)
  } finally {
    first.close()
  }
}

/** Opens the database again once it can be written; undefined until then. */
export function reopenMain(file: string): Database | undefined {
  try {
    const first = openForWriting(file, 'FULL')
    try {
      return openForReading(file)
    } finally {
      first.close()
    }
  } catch {
    return undefined
  }
}

function openReadOnly({ folder }: MainConnectionOptions, cause: unknown): MainConnection {
  const code = codeOf(cause)
  if (!isTemporary(code)) throw cause
  let database: Database
  try {
    database = openOnFullDisk(join(folder, DATABASE_FILE))
  } catch {
    throw hasNoInodes(folder) ? explainMigrationFailure(cause, 0, folder) : cause
  }
  let version: number
  try {
    version = requireSupported(database)
  } catch (error) {
    database.close()
    throw error
  }
  if (version === DATABASE_VERSION) return { database, blockedBy: notStoredError(code, folder) }
  database.close()
  throw explainMigrationFailure(cause, version, folder)
}

function throwIfMalformed(file: string, error: unknown): void {
  const code = codeOf(error)
  if (!isMalformed(code)) return
  throw new DamageError(
    `The database file ${file} is malformed (${code}). Restore it from a backup.`,
  )
}

/** The error of a migration, as a sentence where the disk was the reason. */
function explainMigrationFailure(error: unknown, version: number, folder: string): unknown {
  const code = codeOf(error)
  if (!isTemporary(code) || version >= DATABASE_VERSION) return error
  const task =
    version === 0 ? 'be made' : `be migrated from version ${version} to ${DATABASE_VERSION}`
  const remedy = hasNoInodes(folder) ? 'Delete some files' : 'Free some space'
  return new RefusedError(
    'unavailable',
    `The database cannot ${task}: ${explainBlockedWrites(code, folder)}. ${remedy}, then start again.`,
    { cause: error },
  )
}
