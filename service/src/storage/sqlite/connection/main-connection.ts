import type { Database } from 'better-sqlite3'
import { join } from 'node:path'
import { DamageError } from '../../../errors/damage-error.ts'
import { RefusedError } from '../../../errors/refused-error.ts'
import { openOnFullDisk, openForReading, openForWriting } from './connection.ts'
import {
  DATABASE_VERSION,
  migrate,
  readVersion,
  requireKnown,
  type Migrating,
} from '../migrations/migrate.ts'
import { isMalformed } from './reader.ts'
import { hasNoInodes } from './free-inodes.ts'
import { checkSchema } from '../integrity/schema-check.ts'
import { isPassing, nothingStored, reasonOf } from './writer.ts'

export const DATABASE_FILE = 'plumbline.db'

export type Opening = {
  folder: string
  migrating: Migrating
  /** Told of what somebody else has added to the database. */
  warn?(sentence: string): void
}

/** The connection that reads, and why nothing can be written. */
export type MainConnection = { database: Database; blockedBy: RefusedError | undefined }

/**
 * Makes the database or brings it up to date, and opens it for reading; for reading alone where
 * nothing can be written.
 */
export async function openMain(opening: Opening): Promise<MainConnection> {
  const file = join(opening.folder, DATABASE_FILE)
  let first: Database
  try {
    first = openForWriting(file, 'FULL')
  } catch (error) {
    if (isMalformed(error)) throw malformed(file, error)
    return readAlone(opening, error)
  }
  try {
    await migrate(first, opening)
    for (const sentence of checkSchema(first)) opening.warn?.(sentence)
    // The first connection stays open until there is another: the last one to close a write-ahead
    // log would copy it all back.
    return { database: openForReading(file), blockedBy: undefined }
  } catch (error) {
    if (isMalformed(error)) throw malformed(file, error)
    throw inWords(error, readVersion(first), opening.folder)
  } finally {
    first.close()
  }
}

/** Opens the database for reading and writing once there is space again; undefined until then. */
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

function readAlone({ folder }: Opening, cause: unknown): MainConnection {
  const { code } = cause as { code?: string }
  if (!isPassing(code)) throw cause
  let database: Database
  try {
    database = openOnFullDisk(join(folder, DATABASE_FILE))
  } catch {
    throw hasNoInodes(folder) ? inWords(cause, 0, folder) : cause
  }
  let version: number
  try {
    version = requireKnown(database)
  } catch (error) {
    database.close()
    throw error
  }
  if (version === DATABASE_VERSION) return { database, blockedBy: nothingStored(code!, folder) }
  database.close()
  throw inWords(cause, version, folder)
}

const malformed = (file: string, error: unknown): DamageError =>
  new DamageError(
    `The database file ${file} is malformed (${(error as { code: string }).code}). Restore it from a backup.`,
  )

/** A migration that found no room, in a sentence. */
function inWords(error: unknown, version: number, folder: string): unknown {
  const { code } = error as { code?: string }
  if (!isPassing(code) || version >= DATABASE_VERSION) return error
  const task =
    version === 0 ? 'be made' : `be migrated from version ${version} to ${DATABASE_VERSION}`
  const remedy = hasNoInodes(folder) ? 'Delete some files' : 'Free some space'
  return new RefusedError(
    'unavailable',
    `The database cannot ${task}: ${reasonOf(code!, folder)}. ${remedy}, then start again.`,
    { cause: error },
  )
}
