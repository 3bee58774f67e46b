import Sqlite, { type Database } from 'better-sqlite3'
import { chownSync, closeSync, existsSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../../../errors/thrown.ts'

/** An empty file. Only its locks matter, which end with the process that holds them. */
const FILE_NAME = 'plumbline.lock'

/** How long a service that starts waits for a migration. */
const MIGRATION_MILLISECONDS = 10_000

/** Marks a folder as served until it is disposed of; undefined while another program migrates it. */
export const holdServing = (folder: string): Disposable | undefined =>
  lockFile(folder, FILE_NAME, MIGRATION_MILLISECONDS, (database) => {
    database.exec('begin')
    database.prepare('select count(*) from sqlite_master').get()
  })

/** Keeps a folder from being served until it is disposed of; undefined while it is served. */
export const excludeServing = (folder: string): Disposable | undefined =>
  lockFile(folder, FILE_NAME, 0, (database) => database.exec('begin exclusive'))

/** Whether a service has the folder open. */
export function isServed(folder: string): boolean {
  if (!existsSync(join(folder, FILE_NAME))) return false
  const alone = excludeServing(folder)
  alone?.[Symbol.dispose]()
  return alone === undefined
}

/** What stands for a lock of a file that cannot be created. */
export const UNLOCKED: Disposable = { [Symbol.dispose]: () => undefined }

/** Locks a file of a folder until it is disposed of; undefined while another lock excludes this one. */
export function lockFile(
  folder: string,
  name: string,
  timeout: number,
  take: (database: Database) => void,
): Disposable | undefined {
  let database: Database | undefined
  try {
    const file = join(folder, name)
    // A file that is there is not opened: closing it would end other locks of this process.
    if (!existsSync(file)) make(file, folder)
    database = new Sqlite(file, { timeout })
    take(database)
  } catch (error) {
    database?.close()
    return codeOf(error) === 'SQLITE_BUSY' ? undefined : UNLOCKED
  }
  const held = database
  return { [Symbol.dispose]: () => void held.close() }
}

/** Made by SQLite, the file could be read by every user, who could then hold the lock. */
function make(file: string, folder: string): void {
  closeSync(openSync(file, 'a', 0o600))
  const { uid, gid } = statSync(folder)
  // A command of root makes it for the user of the service, as SQLite does with its files.
  if (process.getuid?.() === 0) chownSync(file, uid, gid)
}
