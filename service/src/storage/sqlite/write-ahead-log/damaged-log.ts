import { closeSync, constants, openSync, readSync } from 'node:fs'
import { copyFile, readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { toError } from '../../../errors/thrown.ts'
import { openForWriting } from '../connection/connection.ts'
import { scanLog, type LogScan } from './scan-log.ts'
import { isServed } from '../connection/serving-lock.ts'
import { countOf } from '../../../errors/show.ts'

/** A log that changes within this time is being written: no crash has left it. */
const STILL_MILLISECONDS = 50

const DEFAULT_PAGE_BYTES = 8192

/**
 * Checks the log that a crash has left, before SQLite opens it and silently drops everything after a
 * damaged frame. Keeps a copy of a damaged log and raises an alert.
 */
export async function keepDamagedLog(
  folder: string,
  database: string,
  alert: (sentence: string) => void,
): Promise<void> {
  const file = join(folder, database)
  const log = `${file}-wal`
  const before = await identify(log)
  if (before === undefined || isServed(folder)) return
  const scan = tryScan(log, () => pageBytesOf(file))
  if (scan === undefined || scan.lostTransactions === 0) return
  await sleep(STILL_MILLISECONDS)
  if ((await identify(log)) !== before) return
  const copy = `${log}.damaged-${new Date().toISOString().replaceAll(/[-:.]/g, '')}`
  try {
    await copyFile(log, copy, constants.COPYFILE_EXCL)
  } catch (error) {
    await rm(copy, { force: true })
    alert(`${describe(log, scan)} It could not be copied (${toError(error).message}).`)
    return
  }
  alert(`${describe(log, scan)} A copy of the damaged log is in ${basename(copy)}.`)
  copyBack(file)
}

/**
 * A sentence about each damaged log that was kept, for `doctor`. `pageBytes` is passed because the
 * database file must not be opened: closing it would release the locks that SQLite has on it.
 */
export async function inspectDamagedLogs(
  folder: string,
  database: string,
  pageBytes: number,
): Promise<string[]> {
  const names = await readdir(folder)
  return names
    .filter((name) => name.startsWith(`${database}-wal.damaged-`))
    .toSorted()
    .map((name) => {
      const scan = tryScan(join(folder, name), () => pageBytes)
      const lost = scan === undefined ? 'It cannot be read.' : describe(name, scan)
      return `${name}: ${lost} Send the missing records again, then delete this file.`
    })
}

/** Copies the sound part of the log back: later commits after it would make the lost ones look valid. */
function copyBack(file: string): void {
  try {
    openForWriting(file, 'FULL').close()
  } catch {
    // The next code that opens the database fails with the reason.
  }
}

function describe(log: string, { frames, lostFrames, lostTransactions }: LogScan): string {
  const last = lostTransactions === 1 ? ', unless the power failed while it was written' : ''
  return `The write-ahead log ${basename(log)} is damaged after frame ${frames}: ${countOf(lostFrames, 'frame')} of at least ${countOf(lostTransactions, 'transaction')} that were acknowledged are lost${last}.`
}

/** Undefined for a log that cannot be read: SQLite fails on it with the reason. */
function tryScan(log: string, pageBytes: () => number): LogScan | undefined {
  try {
    return scanLog(log, pageBytes())
  } catch {
    return undefined
  }
}

/** The size of a page, from the header of the file; the database must not be open. */
function pageBytesOf(file: string): number {
  const descriptor = openSync(file, 'r')
  try {
    const header = Buffer.alloc(18)
    readSync(descriptor, header, 0, 18, 0)
    const stored = header.readUInt16BE(16)
    if (stored === 1) return 65_536
    const isSize = stored >= 512 && (stored & (stored - 1)) === 0
    return isSize ? stored : DEFAULT_PAGE_BYTES
  } finally {
    closeSync(descriptor)
  }
}

async function identify(log: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs } = await stat(log, { bigint: true })
    return size === 0n ? undefined : `${ino} ${size} ${mtimeNs}`
  } catch {
    return undefined
  }
}
