import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { syncFolder } from '../../sync-to-disk.ts'

/** The salts of a log, and the `application_id` and mtime (in s) of the database file at its begin. */
export type LogBase = Readonly<{ salts: string; number: number; changedAt: number }>

/** The file that exists as long as a log does. */
const FILE_NAME = 'plumbline.mark'
const TEXT =
  'The database has a write-ahead log, plumbline.db-wal. A clean stop removes both files.\n'

/** A process that closes the database removes the mark this much later than the log, at most. */
const CLOSING_MILLISECONDS = 500

/** Raises an alert where the mark exists and the log does not; returns whether the log is missing. */
export async function reportMissingLog(
  folder: string,
  database: string,
  alert: (sentence: string) => void,
): Promise<boolean> {
  const log = `${database}-wal`
  const isMissing = () => existsSync(join(folder, FILE_NAME)) && !existsSync(join(folder, log))
  if (!isMissing()) return false
  await sleep(CLOSING_MILLISECONDS)
  if (!isMissing()) return false
  alert(
    `The last run did not stop cleanly, and its write-ahead log ${log} is missing. Unless another program has opened the database or a backup was restored since, records that were acknowledged are lost. Send the missing records again.`,
  )
  return true
}

/** Creates the mark before anything is stored, where the disk allows it. */
export function markLog(folder: string): void {
  try {
    if (existsSync(join(folder, FILE_NAME))) return
    write(folder, TEXT)
    syncFolder(folder)
  } catch {
    // The disk is full: nothing can be stored either.
  }
}

/** Reads which database file the log belongs to; undefined where the mark does not say it. */
export function readMark(folder: string): LogBase | undefined {
  const path = join(folder, FILE_NAME)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const [, salts, number, changedAt] = BASE.exec(text) ?? []
  if (salts === undefined) return undefined
  return { salts, number: Number(number), changedAt: Number(changedAt) }
}

/** Writes which database file the log belongs to, without fsync: the writer waits for it. */
export function writeMark(folder: string, { salts, number, changedAt }: LogBase): void {
  write(
    folder,
    `${TEXT}Log ${salts} was begun on file ${number}, changed at ${changedAt}.\n`,
    false,
  )
}

const BASE = /^Log ([0-9a-f]{16}) was begun on file (\d+), changed at (-?\d+)\.$/m

/** Replaces the file by a rename, so that no process reads half of it. */
function write(folder: string, text: string, isSynced = true): void {
  const fresh = join(folder, `${FILE_NAME}.new`)
  const descriptor = openSync(fresh, 'w', 0o600)
  try {
    writeSync(descriptor, text)
    if (isSynced) fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(fresh, join(folder, FILE_NAME))
}

/** Removes the mark where the last connection to close has removed the log. */
export async function unmarkLog(folder: string, database: string): Promise<void> {
  if (existsSync(join(folder, `${database}-wal`))) return
  await rm(join(folder, FILE_NAME), { force: true }).catch(() => undefined)
}
