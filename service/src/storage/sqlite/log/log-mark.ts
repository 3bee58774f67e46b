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

/** What a log was begun on: its salts, and the number and time of change of the database file. */
export type LogBase = Readonly<{ salts: string; number: number; changedAt: number }>

/** Stands beside a log for as long as there is one. */
const FILE_NAME = 'plumbline.mark'
const TEXT = 'The database has a log, plumbline.db-wal. A stop in order removes both files.\n'

/** Whoever has just closed the database removes the mark after the log. */
const CLOSING_MILLISECONDS = 500

/** Tells of a log that the mark speaks of and that is not there, and says whether it is. */
export async function missLog(
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
    `The last run was not stopped in order, and its log ${log} is missing: unless another program has opened the database or a backup was restored since, records that were acknowledged are lost. Send again what is missing.`,
  )
  return true
}

/** Leaves the mark before anything is stored; where it cannot be made, there is none. */
export function markLog(folder: string): void {
  try {
    if (existsSync(join(folder, FILE_NAME))) return
    write(folder, TEXT)
    if (process.platform !== 'win32') syncFolder(folder)
  } catch {
    // A full disk: then nothing can be stored either.
  }
}

/** What the mark says that a log was begun on; undefined where it says nothing. */
export function readMark(folder: string): LogBase | undefined {
  const path = join(folder, FILE_NAME)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const [, salts, number, changedAt] = BASE.exec(text) ?? []
  if (salts === undefined) return undefined
  return { salts, number: Number(number), changedAt: Number(changedAt) }
}

/** Notes what a log was begun on. A writer waits for it: what a power cut takes of it says nothing. */
export function writeMark(folder: string, { salts, number, changedAt }: LogBase): void {
  write(
    folder,
    `${TEXT}Log ${salts} was begun on file ${number}, changed at ${changedAt}.\n`,
    false,
  )
}

const BASE = /^Log ([0-9a-f]{16}) was begun on file (\d+), changed at (-?\d+)\.$/m

/** At once, so that nobody reads half of it. */
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

/** Takes the mark away where the last one to close the database has removed the log. */
export async function unmarkLog(folder: string, database: string): Promise<void> {
  if (existsSync(join(folder, `${database}-wal`))) return
  await rm(join(folder, FILE_NAME), { force: true }).catch(() => undefined)
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
