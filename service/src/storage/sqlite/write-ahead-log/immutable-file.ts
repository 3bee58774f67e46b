import Sqlite, { type Database } from 'better-sqlite3'
import { statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { RefusedError } from '../../../errors/refused-error.ts'
import { registerFunctions } from '../connection/sql-functions.ts'

// SQLite accepts file names with parameters only if this is set before its first use.
process.env['SQLITE_USE_URI'] = '1'

const immutableFiles = new WeakMap<Database, ImmutableFile>()

/**
 * A database file that is read without locks and without the files beside it.
 *
 * The reads are sound while no process has the file open for writing: such a process creates a log,
 * and changes the file before it removes the log. So both are checked after every read.
 */
export class ImmutableFile {
  readonly #file: string
  readonly #state: string

  constructor(file: string) {
    this.#file = file
    this.#state = stateOf(file)
  }

  /** Throws where another process may have written meanwhile. */
  requireUnchanged(): void {
    if (hasLog(this.#file) || stateOf(this.#file) !== this.#state)
      throw new RefusedError(
        'unavailable',
        'The database was opened by another process while it was read. Try again.',
        { retryAfterSeconds: 1 },
      )
  }
}

/** Opens a file for reading where the disk takes no further file, and so no log. */
export function openImmutable(file: string): Database {
  const immutable = new ImmutableFile(file)
  immutable.requireUnchanged()
  const url = `${pathToFileURL(file).href}?immutable=1`
  const database = new Sqlite(url, { readonly: true })
  try {
    registerFunctions(database)
    database.pragma('cache_size = -8000')
    database.prepare('select count(*) from sqlite_master').get()
    immutable.requireUnchanged()
    immutableFiles.set(database, immutable)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** The file of a connection that was opened by `openImmutable`. */
export const findImmutableFile = (database: Database): ImmutableFile | undefined =>
  immutableFiles.get(database)

/** Whether a log exists that is not empty. */
const hasLog = (file: string): boolean =>
  (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0

function stateOf(file: string): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true })
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`
}
