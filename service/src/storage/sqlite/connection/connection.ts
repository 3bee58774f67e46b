import { knowFunctions } from './sql-functions.ts'
import { openStill } from '../log/still-file.ts'
import { dirname } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import { hasNoInodes } from './free-inodes.ts'

/** Waiting for another process to finish its write, such as a command beside the service. */
const BUSY_MILLISECONDS = 10_000

export type Synchronous = 'FULL' | 'NORMAL' | 'OFF'

/** The one connection that writes. FULL: a commit is on the disk before it is acknowledged. */
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
  // In a file that is there the second would be a write, which a full disk refuses.
  if (database.pragma('page_count', { simple: true }) === 0) {
    // A station-day of 1,440 records is 12 pages instead of 24.
    database.pragma('page_size = 8192')
    // Space that sealing and retention free can go back to the disk, a few pages at a time.
    database.pragma('auto_vacuum = INCREMENTAL')
  }
  knowFunctions(database)
  useLog(database)
  database.pragma(`synchronous = ${synchronous}`)
  database.pragma('foreign_keys = ON')
  database.pragma('cache_size = -16000')
  // Many commits touch the same pages: copied back every 32 MB, a page is written once for all of
  // them. It takes a fifth off the cost of a stored record.
  database.pragma('wal_autocheckpoint = 4000')
  database.pragma('journal_size_limit = 67108864')
  return database
}

export function openForReading(file: string): Database {
  const database = new Sqlite(file, { timeout: BUSY_MILLISECONDS, readonly: true })
  knowFunctions(database)
  database.pragma('cache_size = -8000')
  return database
}

/**
 * Reads where nothing can be stored: without the file that readers and writers share, which cannot be
 * made on a full disk, and without a log where no file at all can be made.
 */
export function openOnFullDisk(file: string): Database {
  try {
    return openAlone(file)
  } catch (error) {
    if (!hasNoInodes(dirname(file))) throw error
    return openStill(file)
  }
}

/** Keeps everybody else out. */
function openAlone(file: string): Database {
  const database = new Sqlite(file, { fileMustExist: true })
  try {
    knowFunctions(database)
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

/** Turning the log on needs the file alone, and SQLite waits for others everywhere but here. */
function useLog(database: Database): void {
  const end = Date.now() + BUSY_MILLISECONDS
  while (true) {
    try {
      database.pragma('journal_mode = WAL')
      return
    } catch (error) {
      if ((error as { code?: string }).code !== 'SQLITE_BUSY' || Date.now() > end) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MILLISECONDS)
    }
  }
}
