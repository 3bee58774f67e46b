import { closeSync, constants, openSync, readSync } from 'node:fs'
import { copyFile, readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openForWriting } from '../connection/connection.ts'
import { scanLog, type LogScan } from './scan-log.ts'
import { isServed } from '../connection/serving-lock.ts'

/** A log that changes within this time is being written, and not left by a crash. */
const STILL_MILLISECONDS = 50

const DEFAULT_PAGE_BYTES = 8192

/**
 * Looks at the log that a crash has left before SQLite does, which drops in silence what is behind
 * a damaged frame: such a log is kept in a copy, and told of.
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
    alert(`${describe(log, scan)} It could not be copied (${(error as Error).message}).`)
    return
  }
  alert(`${describe(log, scan)} The log as it was is kept in ${basename(copy)}.`)
  startAnew(file)
}

/**
 * What `doctor` says of logs that were kept of a database with pages of so many bytes. The file
 * itself is not opened: to close it would let go of the locks that SQLite has on it.
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
      return `${name}: ${lost} Send again what is missing, then delete this file.`
    })
}

/** Folds the sound part back: behind it, later commits would make the lost ones look new. */
function startAnew(file: string): void {
  try {
    openForWriting(file, 'FULL').close()
  } catch {
    // Whoever opens it next says why it cannot be opened.
  }
}

function describe(log: string, { frames, lostFrames, lostTransactions }: LogScan): string {
  const last = lostTransactions === 1 ? ', unless the power failed while it was written' : ''
  return `The log ${basename(log)} is damaged behind frame ${frames}: ${lostFrames} frames of at least ${count(lostTransactions, 'transaction')} that were acknowledged are lost${last}.`
}

const count = (number: number, what: string): string =>
  `${number} ${what}${number === 1 ? '' : 's'}`

/** A log that cannot be read is left to SQLite, which says so. */
function tryScan(log: string, pageBytes: () => number): LogScan | undefined {
  try {
    return scanLog(log, pageBytes())
  } catch {
    return undefined
  }
}

/** Before the database is opened. */
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
