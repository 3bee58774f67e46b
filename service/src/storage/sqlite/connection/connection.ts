import { dirname } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import { codeOf } from '../../../errors/thrown.ts'
import { openImmutable } from '../write-ahead-log/immutable-file.ts'
import { hasNoInodes } from './free-inodes.ts'
import { requireOwn } from './require-own.ts'
import { registerFunctions } from './sql-functions.ts'

/** How long a connection waits for the write of another process, such as a command. */
const BUSY_MILLISECONDS = 10_000

export type Synchronous = 'FULL' | 'NORMAL' | 'OFF'

/** Opens the connection that writes. With FULL a commit is on the disk before it is acknowledged. */
export function openForWriting(file: string, synchronous: Synchronous): Database {
  const database = new Sqlite(file, { timeout: BUSY_MILLISECONDS })
  try {
    return prepare(database, synchronous)
  } catch (error) {
    database.close()
    throw error
  }
}

function prepare(database: Database, synchronous: Synchronous): Database {
  // In an existing file `auto_vacuum` would be a write, which a full disk refuses.
  if (database.pragma('page_count', { simple: true }) === 0) {
    // A station-day of 1,440 records is 12 pages instead of 24.
    database.pragma('page_size = 8192')
    // Pages that sealing and retention free can go back to the disk, a few at a time.
    database.pragma('auto_vacuum = INCREMENTAL')
  }
  // The log would stay enabled in a database that is refused afterwards.
  requireOwn(database)
  registerFunctions(database)
  enableLog(database)
  database.pragma(`synchronous = ${synchronous}`)
  database.pragma('foreign_keys = ON')
  database.pragma('cache_size = -16000')
  // Many commits touch the same pages. Copied back every 32 MB, a page is written once for all of
  // them, and a stored record costs a fifth less.
  copyBackFrom(database, 4000)
  database.pragma('journal_size_limit = 67108864')
  return database
}

/** From how many frames of the log on a commit copies it back. */
export function copyBackFrom(database: Database, frames: number): void {
  database.pragma(`wal_autocheckpoint = ${frames}`)
}

export function openForReading(file: string): Database {
  const database = new Sqlite(file, { timeout: BUSY_MILLISECONDS, readonly: true })
  registerFunctions(database)
  database.pragma('cache_size = -8000')
  return database
}

/**
 * Opens a database for reading where nothing can be stored: without the file that readers and writers
 * share, which cannot be created on a full disk; without a log where no file can be created at all.
 */
export function openOnFullDisk(file: string): Database {
  try {
    return openExclusively(file)
  } catch (error) {
    if (!hasNoInodes(dirname(file))) throw error
    return openImmutable(file)
  }
}

/** Locks the file against every other connection. */
function openExclusively(file: string): Database {
  const database = new Sqlite(file, { fileMustExist: true })
  try {
    registerFunctions(database)
    database.pragma('locking_mode = EXCLUSIVE')
    database.pragma('query_only = ON')
    database.prepare('select count(*) from sqlite_master').get()
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

const RETRY_MILLISECONDS = 10

/** Enabling the log needs an exclusive lock, the only one for which SQLite does not wait itself. */
function enableLog(database: Database): void {
  const end = Date.now() + BUSY_MILLISECONDS
  while (true) {
    try {
      database.pragma('journal_mode = WAL')
      return
    } catch (error) {
      if (codeOf(error) !== 'SQLITE_BUSY' || Date.now() > end) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MILLISECONDS)
    }
  }
}
