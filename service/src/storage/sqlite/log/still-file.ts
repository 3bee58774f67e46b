import Sqlite, { type Database } from 'better-sqlite3'
import { statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { RefusedError } from '../../../errors/refused-error.ts'
import { knowFunctions } from '../connection/sql-functions.ts'

// SQLite takes names with parameters only where it is told so before its first use.
process.env['SQLITE_USE_URI'] = '1'

const stillFiles = new WeakMap<Database, StillFile>()

/**
 * A database file that is read as it lies, without locks and without the files beside it.
 *
 * That is sound while nobody has it open for writing: whoever does makes a log, and changes the
 * file before the log goes. So every read is followed by a look at both.
 */
export class StillFile {
  readonly #file: string
  readonly #state: string

  constructor(file: string) {
    this.#file = file
    this.#state = stateOf(file)
  }

  /** Refuses what was read where somebody may have written meanwhile. */
  require(): void {
    if (hasLog(this.#file) || stateOf(this.#file) !== this.#state)
      throw new RefusedError(
        'unavailable',
        'The database was opened by another process while it was read. Try again.',
        { retryAfterSeconds: 1 },
      )
  }
}

/** Reads a file whose log cannot be made, since the disk takes no further file. */
export function openStill(file: string): Database {
  const still = new StillFile(file)
  still.require()
  const url = `${pathToFileURL(file).href}?immutable=1`
  const database = new Sqlite(url, { readonly: true })
  try {
    knowFunctions(database)
    database.pragma('cache_size = -8000')
    database.prepare('select count(*) from sqlite_master').get()
    still.require()
    stillFiles.set(database, still)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** The file that a connection reads as it lies; undefined where it shares it with others. */
export const findStillFile = (database: Database): StillFile | undefined => stillFiles.get(database)

/** An empty log has nothing that the file has not. */
const hasLog = (file: string): boolean =>
  (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0

function stateOf(file: string): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true })
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`
}
