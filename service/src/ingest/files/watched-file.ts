import { createHash, hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { Mapping } from '../formats/mapping.ts'
import { openFormat } from '../formats/open-format.ts'
import { ReservedSpaceError } from '../formats/reserved-space-error.ts'
import { RefusedWaveformsError } from './refused-waveforms-error.ts'
import { openRegular } from './regular-file.ts'

const CHUNK_BYTES = 64 * 1024
const TAIL_BYTES = 1024
const MOST_HEADER_BYTES = 4 * 1024 * 1024

/** A file that is open for reading; once the signal is aborted, reading throws its reason. */
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

  /** The bytes from an offset to the current end of the file, or to `until`. */
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
   * Identifies the file whatever its name: by the hash of its bytes up to the end of the first line
   * after the header. Undefined while that line is not whole. Throws a `ReservedSpaceError` where more
   * reserved space than the limit comes before it.
   */
  async identify(mapping: Mapping, mostReservedBytes: number): Promise<string | undefined> {
    const { dialect, splitter: openSplitter, tail, data } = openFormat(mapping, mostReservedBytes)
    const splitter = openSplitter({ offset: 0, lines: 0 })
    let read = 0
    let lines = 0
    for await (const chunk of data(this.bytes(0), true)) {
      // Reserved space does not count.
      if (read - splitter.nulBytes >= MOST_HEADER_BYTES) return undefined
      read += chunk.length
      for (const line of splitter.push(chunk)) {
        const isRow = dialect.isReady && !line.isBlank && !line.isWithin
        if (isRow) return this.#hashUntil(line.end)
        dialect.take(line)
        lines = line.number
      }
    }
    if (tail.isTooLong) throw new ReservedSpaceError(mostReservedBytes, lines)
    return undefined
  }

  /** All bytes of the file, and their hash; throws a `RefusedError` beyond a limit. */
  async readWhole(mostBytes: number): Promise<{ bytes: Uint8Array; identity: string }> {
    const chunks: Uint8Array[] = []
    const digest = createHash('sha256')
    let length = 0
    for await (const chunk of this.bytes(0)) {
      length += chunk.length
      if (length > mostBytes) throw new RefusedWaveformsError(tooLarge(mostBytes))
      chunks.push(chunk)
      digest.update(chunk)
    }
    return { bytes: Buffer.concat(chunks), identity: digest.digest('base64url') }
  }

  /** The hash of the last bytes before an offset, which shows whether they are those that were read. */
  async tailHash(offset: number): Promise<string> {
    const from = Math.max(0, offset - TAIL_BYTES)
    const chunks = await Array.fromAsync(this.bytes(from, offset))
    return hash('sha256', Buffer.concat(chunks), 'base64url')
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

const tooLarge = (mostBytes: number): string =>
  `it has more than ${(mostBytes / 2 ** 20).toLocaleString('en')} MB (http.maxBodyMegabytes), and files of waveforms are read whole`
