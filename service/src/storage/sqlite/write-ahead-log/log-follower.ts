import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import Sqlite, { type Database } from 'better-sqlite3'
import { codeOf } from '../../../errors/thrown.ts'
import { LogFrames, LogGap } from './log-frames.ts'
import { isSuccessor, LogIndex, type LogState } from './log-index.ts'
import { FRAME_HEADER_BYTES, HEADER_BYTES, type Sum } from './scan-log.ts'

/** A place in the history of a database: after a frame of a log. */
export type LogPlace = Readonly<{ salts: string; frame: number; sum: string }>

/** A database file that nobody has open, by which a change of it is noticed. */
export type ClosedFile = Readonly<{ inode: string; bytes: string; changedAt: string }>

/** The pages that were changed, by their number, each as it is after the last commit. */
export type ChangedPages = Map<number, Buffer>

/** How long a writer may keep the follower from copying the log back. */
const BUSY_MILLISECONDS = 250

const PAUSED = new Int32Array(new SharedArrayBuffer(4))

/** The salts of a frame whose checksum SQLite computes at the commit. */
const UNFINISHED = '0'.repeat(16)

/** More frames than this are not held in memory: a transaction of 128 MB. */
const FRAMES_AT_ONCE = 16_384

/**
 * Reads every committed page of a database once, in the order of the commits, while others write.
 *
 * It rests on a promise of SQLite: as long as a read transaction is open, nothing that was committed
 * after its snapshot is copied back into the database file, and a log is begun anew only when all of
 * it was copied back. So one read transaction is always open, and it moves on to a later snapshot
 * only when everything up to there was read. No other program has to know of it.
 */
export class LogFollower implements Disposable {
  readonly file: string
  readonly pageBytes: number
  /** The database file when following began. */
  readonly opened: ClosedFile
  /** The log when following began. */
  readonly openedLog: LogState
  readonly #descriptor: number
  readonly #log: number
  readonly #index: LogIndex
  readonly #copying: Database
  readonly #locking: Database
  #holding: Database
  #spare: Database
  #frames: LogFrames | undefined
  #salts: string
  #pages: number
  /** The count of commits up to where the log was read. */
  #commits: number
  /** Whether the first log was begun anew before it was read: it was copied back before. */
  #hasMissedFirst = false
  /** The checksum after each frame of the first log. */
  readonly #firstSums: string[] = []
  readonly #closing = new DisposableStack()

  constructor(file: string) {
    this.file = file
    using failing = new DisposableStack()
    // Of all descriptors of a file the first to close releases the locks of this process: after use.
    this.#descriptor = failing.adopt(openSync(file, 'r'), closeSync)
    const index = failing.adopt(new DisposableStack(), (stack) => stack.dispose())
    const open = (): Database =>
      failing.adopt(new Sqlite(file, { fileMustExist: true, timeout: BUSY_MILLISECONDS }), (one) =>
        one.close(),
      )
    this.#copying = open()
    if (this.#copying.pragma('journal_mode', { simple: true }) !== 'wal')
      throw new LogGap('the database has no write-ahead log yet')
    this.#copying.pragma('synchronous = FULL')
    this.#locking = open()
    this.#locking.pragma('busy_timeout = 0')
    this.#holding = open()
    this.#spare = open()
    for (const one of [this.#copying, this.#locking, this.#holding, this.#spare])
      one.pragma('wal_autocheckpoint = 0')
    this.pageBytes = Number(this.#copying.pragma('page_size', { simple: true }))
    beginReading(this.#holding)
    this.#pages = Number(this.#holding.pragma('page_count', { simple: true }))
    this.#index = index.use(new LogIndex(file))
    this.#log = index.adopt(openSync(`${file}-wal`, 'r'), closeSync)
    this.opened = this.#identify()
    this.openedLog = this.#index.read()
    this.#salts = this.openedLog.salts
    this.#commits = this.openedLog.commits
    this.#closing = failing.move()
  }

  /** Up to where the log was read. */
  get place(): LogPlace {
    const sum = this.#frames?.sum
    return {
      salts: this.#salts,
      frame: this.#frames?.frame ?? 0,
      sum: sum === undefined ? '' : formatSum(sum),
    }
  }

  /** Pages of the database after the last commit that was read. */
  get pages(): number {
    return this.#pages
  }

  /** Adds the pages of all commits since the last call. */
  read(changed: ChangedPages): void {
    const state = this.#index.read()
    if (state.frames === 0) return
    if (state.salts !== this.#salts) {
      if (this.#frames === undefined && this.openedLog.frames > 0) this.#hasMissedFirst = true
      this.#frames = undefined
      this.#salts = state.salts
    }
    const isFirst = this.#salts === this.openedLog.salts
    const frames = (this.#frames ??= new LogFrames(this.#log, this.pageBytes, this.#salts))
    if (state.frames - frames.frame > FRAMES_AT_ONCE)
      throw new LogGap('a transaction has changed more than can be copied at once')
    let commits = 0
    for (const { number, page, content, sum, isCommit } of frames.readTo(state.frames)) {
      changed.set(page, content)
      if (isFirst) this.#firstSums[number] = formatSum(sum)
      const isOld = isFirst && number <= this.openedLog.frames
      if (isCommit && !isOld) commits++
    }
    // The read transaction keeps every commit in the log until it was read; this proves it.
    if ((state.commits - this.#commits) >>> 0 !== commits)
      throw new LogGap('a commit is missing in the write-ahead log')
    this.#commits = state.commits
    if (formatSum(frames.sum) !== formatSum(state.sum))
      throw new LogGap('the write-ahead log does not match its index')
    this.#pages = state.pages
    for (const page of changed.keys()) if (page > state.pages) changed.delete(page)
  }

  /**
   * Copies the log back into the database file, so that the next writer begins it anew. Returns
   * `whole` where all of it was copied back, `written` where a writer did not end in time, and `read`
   * where a reader needs what was before.
   *
   * Writers wait only for the last part.
   */
  copyBack(changed: ChangedPages): 'whole' | 'written' | 'read' {
    this.read(changed)
    this.#moveOn()
    this.#copy()
    if (!this.#lock()) return 'written'
    try {
      this.read(changed)
      this.#moveOn()
      const isWhole = this.#copy()
      // From here on nothing that is committed later is copied back before it was read.
      if (isWhole) this.#moveOn()
      return isWhole ? 'whole' : 'read'
    } finally {
      this.#locking.exec('rollback')
    }
  }

  /** Whether all that was committed after a place is in what is read from the begin of the log. */
  continues(place: LogPlace, closed: ClosedFile | undefined): boolean {
    if (this.#hasMissedFirst) return false
    if (closed !== undefined && isSameFile(closed, this.opened)) return true
    const { salts } = this.openedLog
    if (place.salts === salts) return this.#firstSums[place.frame] === place.sum
    return isSuccessor(place.salts, salts) && this.#isLast(place)
  }

  /** Reads the rest and closes the database; returns its file where nobody else has it open. */
  close(changed: ChangedPages): ClosedFile | undefined {
    if (this.#closing.disposed) return undefined
    try {
      this.read(changed)
      if (!this.#lock()) return undefined
      this.read(changed)
      const place = this.place
      for (const one of [this.#holding, this.#spare, this.#locking, this.#copying]) one.close()
      const last = this.#index.read()
      const isUnchanged =
        last.frames === place.frame && (last.frames === 0 || last.salts === place.salts)
      const isClosed = isUnchanged && !existsSync(`${this.file}-wal`)
      return isClosed && isSameFile(this.#identify(), this.#identifyByName())
        ? this.#identify()
        : undefined
    } finally {
      this[Symbol.dispose]()
    }
  }

  [Symbol.dispose](): void {
    this.#closing.dispose()
  }

  /** Moves the read transaction that is always open on to the newest snapshot. */
  #moveOn(): void {
    beginReading(this.#spare)
    this.#holding.exec('rollback')
    const held = this.#spare
    this.#spare = this.#holding
    this.#holding = held
  }

  /** Copies back what the open read transactions allow; returns whether it is the whole log. */
  #copy(): boolean {
    const [result] = this.#copying.pragma('wal_checkpoint(PASSIVE)') as [
      { busy: number; log: number; checkpointed: number },
    ]
    return result.busy === 0 && result.log === result.checkpointed
  }

  /** Keeps writers out; returns false where one does not end in time. */
  #lock(): boolean {
    const end = performance.now() + BUSY_MILLISECONDS
    while (true)
      try {
        this.#locking.exec('begin immediate')
        return true
      } catch (error) {
        if (codeOf(error) !== 'SQLITE_BUSY') throw error
        if (performance.now() > end) return false
        // SQLite itself tries again at growing intervals, and misses the gaps between writes.
        Atomics.wait(PAUSED, 0, 0, 1)
      }
  }

  /**
   * Whether nothing was appended to an earlier log after a place: the next log is in the same file,
   * and has not reached the frame that would have followed.
   */
  #isLast({ salts, frame }: LogPlace): boolean {
    if (this.#closing.disposed || this.openedLog.frames > frame) return false
    const frameBytes = FRAME_HEADER_BYTES + this.pageBytes
    const place = HEADER_BYTES + frame * frameBytes
    const { size } = fstatSync(this.#log)
    // A log that was cut off has lost what would have followed.
    if (size < place || (size - HEADER_BYTES) % frameBytes !== 0) return false
    if (size === place) return true
    const header = Buffer.alloc(FRAME_HEADER_BYTES)
    readSync(this.#log, header, 0, header.length, place)
    // A transaction that was rolled back may have written over what had followed.
    return ![salts, this.openedLog.salts, UNFINISHED].includes(header.toString('hex', 8, 16))
  }

  #identify(): ClosedFile {
    const { ino, size, mtimeNs } = fstatSync(this.#descriptor, { bigint: true })
    return { inode: String(ino), bytes: String(size), changedAt: String(mtimeNs) }
  }

  #identifyByName(): ClosedFile {
    const { ino, size, mtimeNs } = statSync(this.file, { bigint: true })
    return { inode: String(ino), bytes: String(size), changedAt: String(mtimeNs) }
  }
}

function beginReading(database: Database): void {
  database.exec('begin')
  database.prepare('select count(*) from sqlite_master').get()
}

const isSameFile = (one: ClosedFile, other: ClosedFile): boolean =>
  one.inode === other.inode && one.bytes === other.bytes && one.changedAt === other.changedAt

const formatSum = ([a, b]: Sum): string =>
  a.toString(16).padStart(8, '0') + b.toString(16).padStart(8, '0')
