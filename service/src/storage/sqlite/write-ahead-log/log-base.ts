import { randomInt } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { readMark, writeMark, type LogBase } from './log-mark.ts'
import { framesOf, FRAME_HEADER_BYTES } from './scan-log.ts'
import { RefusedError } from '../../../errors/refused-error.ts'

/** The place of `application_id` on page 1, a number that SQLite leaves to applications. */
const NUMBER_OFFSET = 68
const NUMBER_END = 2 ** 31 - 1
const SALTS_OFFSET = 16
const PAGE_SIZE_OFFSET = 8

/** A log that changes within this time is being written, so it belongs to its database file. */
const STILL_MILLISECONDS = 50

/**
 * Records which database file each log belongs to: SQLite applies a log to any file beside it.
 *
 * Each log gives the file a new `application_id`, by which an older copy of the file is recognised.
 */
export class LogBases implements Disposable {
  readonly #file: string
  readonly #descriptor: number
  #log: number | undefined
  #salts: string | undefined

  /**
   * The database file is read through a descriptor that stays open: closing one would release all
   * locks that SQLite has on the file in this process
   * (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
   */
  constructor(file: string, descriptor: number) {
    this.#file = file
    this.#descriptor = descriptor
  }

  /** Has to be called after each commit, which may have begun a new log. */
  note(database: Database): void {
    try {
      this.#log ??= openSync(`${this.#file}-wal`, 'r')
      const salts = saltsOf(this.#log)
      if (salts === this.#salts) return
      if (readMark(dirname(this.#file))?.salts !== salts) this.#begin(database)
      this.#salts = salts
    } catch {
      // Without the mark the log is not checked; the next commit tries again.
    }
  }

  /** Has to be called before the database is closed, which may remove the log. */
  [Symbol.dispose](): void {
    if (this.#log !== undefined) closeSync(this.#log)
    this.#log = undefined
  }

  /** Reads the salts before the file, so that a newer file is never recorded for older salts. */
  #begin(database: Database): void {
    let base = this.#readBase()
    database.pragma(`application_id = ${randomInt(1, NUMBER_END)}`)
    // If the whole log was copied back before, this commit has begun the next one.
    if (readSalts(this.#file) !== base.salts) base = this.#readBase()
    writeMark(dirname(this.#file), base)
  }

  #readBase(): LogBase {
    return baseOf(readSalts(this.#file), this.#descriptor)
  }
}

/**
 * Refuses a log that belongs to another database file than the one beside it, and warns where the
 * file is a copy. Has to be called before the database is opened; ignores a log in use.
 */
export async function requireOwnLog(file: string, warn: (sentence: string) => void): Promise<void> {
  const found = compare(file)
  if (found === undefined) return
  await sleep(STILL_MILLISECONDS)
  if (compare(file) !== found) return
  if (found === 'copy') return warn(copied(file))
  throw new RefusedError('unavailable', replaced(file))
}

function compare(file: string): 'other' | 'copy' | undefined {
  try {
    const base = readMark(dirname(file))
    const found = readFrom(file, (descriptor) => baseOf(readSalts(file), descriptor))
    if (base?.salts !== found.salts) return undefined
    if (base.number !== found.number) return hasNumber(file, found) ? undefined : 'other'
    return base.changedAt === found.changedAt ? undefined : 'copy'
  } catch {
    // Without a log, or with a file that cannot be read, there is nothing to compare.
    return undefined
  }
}

/** Whether the log itself contains the `application_id` that is in the file. */
const hasNumber = (file: string, { salts, number }: LogBase): boolean =>
  readFrom(`${file}-wal`, (log) => {
    const pageBytes = bytesAt(log, PAGE_SIZE_OFFSET, 4).readUInt32BE()
    for (const frame of framesOf(log, FRAME_HEADER_BYTES + pageBytes)) {
      const isOfLog = frame.toString('hex', 8, 16) === salts
      const isFirstPage = frame.readUInt32BE(0) === 1
      if (!isOfLog || !isFirstPage) continue
      if (frame.readUInt32BE(FRAME_HEADER_BYTES + NUMBER_OFFSET) === number) return true
    }
    return false
  })

function baseOf(salts: string, descriptor: number): LogBase {
  const number = bytesAt(descriptor, NUMBER_OFFSET, 4).readUInt32BE()
  return { salts, number, changedAt: Math.floor(fstatSync(descriptor).mtimeMs / 1000) }
}

const readSalts = (file: string): string => readFrom(`${file}-wal`, saltsOf)

const saltsOf = (log: number): string => bytesAt(log, SALTS_OFFSET, 8).toString('hex')

function readFrom<Result>(path: string, read: (descriptor: number) => Result): Result {
  const descriptor = openSync(path, 'r')
  try {
    return read(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function bytesAt(descriptor: number, place: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  if (readSync(descriptor, bytes, 0, length, place) < length) throw new Error('it is too short')
  return bytes
}

function replaced(file: string): string {
  const name = basename(file)
  return `The files ${name} and ${name}-wal in ${dirname(file)} do not belong together: ${name} was replaced, perhaps by a backup, and ${name}-wal is the write-ahead log of the earlier file. To continue with the current ${name}, move ${name}-wal and ${name}-shm away. To continue with the earlier file, restore it to its place. Then start again.`
}

function copied(file: string): string {
  const name = basename(file)
  return `The file ${name} in ${dirname(file)} was copied or restored since the last run, which did not stop cleanly. Its write-ahead log ${name}-wal belongs to it and was applied: the data is that of the end of that run.`
}
