import { closeSync, openSync, readSync } from 'node:fs'
import type { Sum } from './scan-log.ts'

/** What the connections of a database share about its log, and which frames of it are committed. */
export type LogState = {
  /** The name of the log: it changes whenever the log is begun anew. */
  salts: string
  /** Committed frames; those behind them belong to no transaction. */
  frames: number
  /** The checksum of the last committed frame. */
  sum: Sum
  /** A count that each commit raises by one, modulo 2^32. */
  commits: number
  /** Pages of the database after the last commit. */
  pages: number
}

const HEADER_BYTES = 48
const READS = 1000

/**
 * The header of the file that all connections share, `plumbline.db-shm`
 * (https://www.sqlite.org/walformat.html#the_wal_index_header).
 *
 * The descriptor must be closed after the connections of this process: closing it releases their
 * locks.
 */
export class LogIndex implements Disposable {
  readonly #descriptor: number

  constructor(file: string) {
    this.#descriptor = openSync(`${file}-shm`, 'r')
  }

  /** The committed part of the log at this moment. */
  read(): LogState {
    const both = Buffer.alloc(2 * HEADER_BYTES)
    for (let attempt = 0; attempt < READS; attempt++) {
      readSync(this.#descriptor, both, 0, both.length, 0)
      // A writer changes one copy after the other: while they differ it is writing them.
      const [header, copy] = [both.subarray(0, HEADER_BYTES), both.subarray(HEADER_BYTES)]
      if (header.equals(copy)) return parse(header)
    }
    throw new Error('the index of the write-ahead log is changed without end')
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor)
  }
}

/** The numbers have the byte order of the machine, the salts that of the log. */
function parse(header: Buffer): LogState {
  const words = new Uint32Array(Uint8Array.from(header).buffer)
  return {
    salts: header.toString('hex', 32, 40),
    frames: words[4]!,
    sum: [words[6]!, words[7]!],
    commits: words[2]!,
    pages: words[5]!,
  }
}

/** Whether a log of these salts was begun right after one of the others. */
export const isSuccessor = (salts: string, next: string): boolean =>
  Number.parseInt(next.slice(0, 8), 16) === (Number.parseInt(salts.slice(0, 8), 16) + 1) % 2 ** 32
