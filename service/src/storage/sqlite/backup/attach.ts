import { closeSync, openSync } from 'node:fs'
import Sqlite, { type Database } from 'better-sqlite3'

const BUSY_MILLISECONDS = 10_000

/** Opens a file of a backup that is made: nobody reads it before it is whole. */
export function openUnfinished(file: string): Database {
  makePrivate(file)
  const database = new Sqlite(file, { timeout: BUSY_MILLISECONDS })
  database.pragma('foreign_keys = OFF')
  database.pragma('cache_size = -8000')
  withoutJournal(database, 'main')
  return database
}

/** Attaches a file that is made. */
export function attachUnfinished(database: Database, file: string, schema: string): void {
  makePrivate(file)
  database.prepare(`attach ? as ${schema}`).run(file)
  withoutJournal(database, schema)
}

/** Attaches a file from which rows are read. */
export function attachForReading(database: Database, file: string, schema: string): void {
  database.prepare(`attach ? as ${schema}`).run(file)
}

/** Made by SQLite, the file could be read by every user. */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600))
}

function withoutJournal(database: Database, schema: string): void {
  database.pragma(`${schema}.page_size = 8192`)
  database.pragma(`${schema}.journal_mode = OFF`)
  database.pragma(`${schema}.synchronous = OFF`)
}
