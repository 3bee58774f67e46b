import { closeSync, fdatasyncSync, openSync, readSync, writeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import Sqlite, { type Database } from 'better-sqlite3'

const PIECE_BYTES = 4 * 2 ** 20

/** What is not on the disk yet stays small, so that a commit of the service waits for little of it. */
const SYNC_BYTES = 32 * 2 ** 20

type FileCopy = {
  /**
   * The database file, open for reading. It is closed when the process has no connection to it any
   * more: closing it earlier would release the locks of these connections.
   */
  descriptor: number
  file: string
  to: string
  signal: AbortSignal
  onBytes(bytes: number): void
}

/**
 * Copies a database file in use as it is, at the speed of the disk.
 *
 * While a connection reads, the log is not begun anew over frames that the file lacks. So the file, page
 * by page as it is, and after it the log give the state of the last commit in the log.
 */
export async function copyFileInUse(database: Database, copy: FileCopy): Promise<void> {
  database.exec('begin')
  try {
    database.prepare('select count(*) from live.sqlite_master').get()
    await copyBytes(copy.descriptor, copy.to, copy)
    const log = openLog(`${copy.file}-wal`)
    if (log !== undefined)
      try {
        await copyBytes(log, `${copy.to}-wal`, copy)
      } finally {
        // Nothing is locked in the log itself.
        closeSync(log)
      }
  } finally {
    database.exec('rollback')
  }
  using applied = openCopy(copy.to)
  // Applies the log and removes it.
  applied.database.pragma('journal_mode = DELETE')
}

function openCopy(file: string): Disposable & { database: Database } {
  const database = new Sqlite(file)
  database.pragma('synchronous = OFF')
  return { database, [Symbol.dispose]: () => void database.close() }
}

function openLog(file: string): number | undefined {
  try {
    return openSync(file, 'r')
  } catch {
    // A database whose service is stopped has none.
    return undefined
  }
}

async function copyBytes(from: number, to: string, { signal, onBytes }: FileCopy): Promise<void> {
  const target = openSync(to, 'wx', 0o600)
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES)
    for (let at = 0; ;) {
      const read = readSync(from, piece, 0, PIECE_BYTES, at)
      if (read === 0) return
      for (let written = 0; written < read;)
        written += writeSync(target, piece, written, read - written, at + written)
      at += read
      if (at % SYNC_BYTES < read) fdatasyncSync(target)
      onBytes(read)
      await setImmediate()
      signal.throwIfAborted()
    }
  } finally {
    closeSync(target)
  }
}
