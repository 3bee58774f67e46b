import { createHash, hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { LineSplitter } from '../../encodings/csv/lines.ts'
import type { Mapping } from '../formats/mapping.ts'
import { NulTail } from '../formats/nul-tail.ts'
import { BEGINNING, openDialect, type Place } from '../formats/read-rows.ts'
import { requireEncoding } from '../formats/require-encoding.ts'
import { ReservedSpaceError } from '../formats/reserved-space-error.ts'
import { openRegular } from './regular-file.ts'

/** How far a file has been read, as it is kept between two looks. */
export type FilePosition = {
  /** The name it had when something was last read of it. */
  name: string
  place: Place
  /** The hash of the last bytes before the place. */
  tail: string
  /** A last line without a line break that was taken: where it ended, and the hash of its text. */
  openEnd: number
  openLine: string
  /** Since when no file of this beginning was found. */
  goneSince?: number
}

const CHUNK_BYTES = 64 * 1024
const TAIL_BYTES = 1024
const MOST_HEADER_BYTES = 4 * 1024 * 1024

/** A file that is open for one look at it; once the signal is aborted, reading throws its reason. */
export class WatchedFile implements AsyncDisposable {
  readonly #handle: FileHandle
  readonly #signal: AbortSignal

  constructor(handle: FileHandle, signal: AbortSignal) {
    this.#handle = handle
    this.#signal = signal
  }

  static async open(path: string, signal: AbortSignal): Promise<WatchedFile> {
    return new WatchedFile(await openRegular(path), signal)
  }

  /** The bytes from an offset to where the file ends now, or to `until`. */
  async *bytes(offset: number, until = Infinity): AsyncGenerator<Uint8Array> {
    for (let at = offset; at < until;) {
      this.#signal.throwIfAborted()
      const length = Math.min(CHUNK_BYTES, until - at)
      const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(length), 0, length, at)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
      at += bytesRead
    }
  }

  async stat(): Promise<{ size: number; mtimeMs: number }> {
    const { size, mtimeMs } = await this.#handle.stat()
    return { size, mtimeMs }
  }

  /**
   * What the file is known by whatever its name: the hash of its bytes up to the end of the first
   * line after the header. Undefined while that line is not whole; refused where more space than
   * may be reserved comes before it.
   */
  async identify(mapping: Mapping, mostReservedBytes: number): Promise<string | undefined> {
    const { encoding } = mapping
    const dialect = openDialect(mapping)
    const splitter = new LineSplitter({ encoding })
    const tail = new NulTail(encoding, mostReservedBytes)
    const head = tail.cutOff(this.bytes(0))
    let read = 0
    let lines = 0
    for await (const chunk of requireEncoding(head, encoding)) {
      // Reserved space may be of any length.
      if (read - splitter.nulBytes >= MOST_HEADER_BYTES) return undefined
      read += chunk.length
      for (const line of splitter.push(chunk)) {
        const isRow = dialect.isReady && !line.isBlank
        if (isRow) return this.#hashUntil(line.end)
        dialect.take(line)
        lines = line.number
      }
    }
    if (tail.isTooLong) throw new ReservedSpaceError(mostReservedBytes, lines)
    return undefined
  }

  /** The hash of the last bytes before an offset: whether they are still what was read. */
  async tailHash(offset: number): Promise<string> {
    const from = Math.max(0, offset - TAIL_BYTES)
    const pieces = await Array.fromAsync(this.bytes(from, offset))
    return hash('sha256', Buffer.concat(pieces), 'base64url')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close()
  }

  async #hashUntil(end: number): Promise<string> {
    const digest = createHash('sha256')
    for await (const chunk of this.bytes(0, end)) digest.update(chunk)
    return digest.digest('base64url')
  }
}

/**
 * Where reading goes on; undefined when there is nothing new.
 *
 * A file that is shorter than what was read of it, or holds other bytes there, was written anew
 * and is read from its beginning. A shorter one under another name is an earlier copy.
 */
export async function whereToGoOn(
  file: WatchedFile,
  { name, size }: { name: string; size: number },
  known: FilePosition | undefined,
): Promise<Place | undefined> {
  if (known === undefined) return BEGINNING
  const { place, openEnd, tail } = known
  const end = Math.max(place.offset, openEnd)
  if (size < end) return name === known.name ? BEGINNING : undefined
  if ((await file.tailHash(place.offset)) !== tail) return BEGINNING
  // An open line may be written on in its place, without the file growing.
  return size === end && openEnd === 0 ? undefined : place
}

/** The hash of a line, by which it is known once it has got its line break. */
export const lineHash = (text: string): string => hash('sha256', text, 'base64url')

export function formatPosition(position: FilePosition): string {
  return JSON.stringify(position)
}

/** A text that is not of our writing is as good as none: the file is read from its beginning. */
export function parsePosition(text: string | undefined): FilePosition | undefined {
  if (text === undefined) return undefined
  try {
    const position = JSON.parse(text) as FilePosition
    const { place } = position
    const numbers = [place.offset, place.lines, place.header, place.headerLines, position.openEnd]
    return numbers.every(Number.isSafeInteger) ? position : undefined
  } catch {
    return undefined
  }
}
