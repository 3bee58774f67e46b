import { closeSync, fdatasync, openSync, readSync, writeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import Sqlite, { type Database } from 'better-sqlite3'
import type { HashedPiece, HashReply } from './hash-thread.ts'

/** Linux takes four times as long to write pieces of some megabytes. */
const PIECE_BYTES = 2 ** 18
const PIECES = 16

/** Others have their turn after so many bytes. */
const TURN_BYTES = 8 * 2 ** 20

/** What is not on the disk yet stays small, so that a commit of the service waits for little of it. */
const SYNC_BYTES = 8 * 2 ** 20

/** How often the log may come before the copy with a commit. */
const ATTEMPTS = 50

export type CopiedFile = { bytes: number; sha256: string }

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
 * Copies a database file in use as it is, at the speed of the disk; returns its SHA-256.
 *
 * The file does not change while a connection reads a snapshot of which everything is in the file: later
 * commits stay in the log, which is neither copied back nor begun anew over them. `read` reads the same
 * snapshot. Returns undefined, and has copied nothing, where commits always come between.
 */
export async function copyFileInUse(
  database: Database,
  copy: FileCopy,
  read: () => void,
): Promise<CopiedFile | undefined> {
  using held = holdFile(database, copy.file)
  if (!held.isHeld) return undefined
  read()
  return await copyPieces(copy)
}

/** Begins to read when all that is read is in the file. */
function holdFile(database: Database, file: string): Disposable & { isHeld: boolean } {
  const other = new Sqlite(file)
  const isCopiedBack = (): boolean => {
    const [result] = other.pragma('wal_checkpoint(PASSIVE)') as {
      log: number
      checkpointed: number
    }[]
    return result !== undefined && result.log === result.checkpointed
  }
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      isCopiedBack()
      database.exec('begin')
      database.prepare('select count(*) from live.sqlite_master').get()
      // Nothing behind the snapshot can be copied back: if all is, nothing is behind it.
      if (isCopiedBack())
        return { isHeld: true, [Symbol.dispose]: () => void database.exec('commit') }
      database.exec('rollback')
    }
    return { isHeld: false, [Symbol.dispose]: () => undefined }
  } finally {
    other.close()
  }
}

const sync = promisify(fdatasync)

/** Places of the header of a database file: how it is written and read, 2 with a log and 1 without. */
const WITH_LOG = [18, 19]

async function copyPieces({ descriptor, to, signal, onBytes }: FileCopy): Promise<CopiedFile> {
  const target = openSync(to, 'wx', 0o600)
  await using hashing = new Hashing()
  let syncing: Promise<void> = Promise.resolve()
  try {
    for (let at = 0; ;) {
      const piece = new Uint8Array(await hashing.takeMemory())
      const read = readSync(descriptor, piece, 0, PIECE_BYTES, at)
      if (at === 0) for (const place of WITH_LOG) piece[place] = 1
      for (let written = 0; written < read;)
        written += writeSync(target, piece, written, read - written, at + written)
      at += read
      if (read > 0) hashing.add({ buffer: piece.buffer, length: read })
      else return { bytes: at, sha256: await hashing.end() }
      if (at % SYNC_BYTES < read) {
        await syncing
        syncing = sync(target)
        syncing.catch(() => undefined)
      }
      onBytes(read)
      if (at % TURN_BYTES < read) {
        await setImmediate()
        signal.throwIfAborted()
      }
    }
  } finally {
    await syncing.catch(() => undefined)
    closeSync(target)
  }
}

/** Hashes pieces in a thread, while the next ones are copied. */
class Hashing implements AsyncDisposable {
  readonly #worker = new Worker(new URL('./hash-thread.ts', import.meta.url))
  readonly #memory = Array.from({ length: PIECES }, () => new ArrayBuffer(PIECE_BYTES))
  readonly #replies: HashReply[] = []
  #wake = Promise.withResolvers<void>()

  constructor() {
    this.#worker.on('message', (reply: HashReply) => {
      this.#replies.push(reply)
      this.#wake.resolve()
    })
    this.#worker.on('error', (error) => this.#wake.reject(error))
    this.#wake.promise.catch(() => undefined)
  }

  async takeMemory(): Promise<ArrayBuffer> {
    return this.#memory.pop() ?? ((await this.#next()) as ArrayBuffer)
  }

  add(piece: NonNullable<HashedPiece>): void {
    this.#worker.postMessage(piece satisfies HashedPiece, [piece.buffer])
  }

  async end(): Promise<string> {
    this.#worker.postMessage(null satisfies HashedPiece)
    while (true) {
      const reply = await this.#next()
      if (typeof reply === 'string') return reply
    }
  }

  async #next(): Promise<HashReply> {
    while (true) {
      const reply = this.#replies.shift()
      if (reply !== undefined) return reply
      await this.#wake.promise
      this.#wake = Promise.withResolvers()
      this.#wake.promise.catch(() => undefined)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }
}
