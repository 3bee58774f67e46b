import { isUtf8 } from 'node:buffer'
import { matchesGlob } from 'node:path'
import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { fromFdPromise, type Entry, type ZipFile } from 'yauzl'
import { RefusedError } from '../../errors/refused-error.ts'
import type { ArchiveBudget } from './archive-budget.ts'
import { shownName } from './shown-name.ts'

/** The least bytes before the data of a member. */
const LOCAL_HEADER_BYTES = 30

const isDamaged = (name: string, error: unknown): RefusedError =>
  error instanceof RefusedError
    ? error
    : new RefusedError('invalid', `${name}: the archive is damaged: ${String(error)}`)

/** Whether the first bytes of a file are those of a ZIP archive. */
export const isArchiveMark = (head: Uint8Array): boolean =>
  ['504b0304', '504b0506'].includes(Buffer.from(head).toString('hex'))

/** A ZIP archive in an open file; its inflated bytes count against a budget. */
export class ZipArchive {
  readonly name: string
  readonly #zip: ZipFile
  readonly #budget: ArchiveBudget

  private constructor(zip: ZipFile, name: string, budget: ArchiveBudget) {
    this.#zip = zip
    this.name = name
    this.#budget = budget
  }

  /** Opens an archive; the caller closes the file. */
  static async open(file: FileHandle, name: string, budget: ArchiveBudget): Promise<ZipArchive> {
    // Names are not decoded, since a name that leaves its folder would be an error.
    const options = { autoClose: false, decodeStrings: false, validateEntrySizes: true }
    try {
      return new ZipArchive(await fromFdPromise(file.fd, options), name, budget)
    } catch (error) {
      throw isDamaged(name, error)
    }
  }

  /** The members without folders. Throws a `RefusedError` where members overlap, as in an attack. */
  async list(): Promise<ZipMember[]> {
    // The list never has more entries than this count.
    this.#budget.addMembers(this.#zip.entryCount, this.name)
    const entries: Entry[] = []
    try {
      for await (const entry of this.#zip.eachEntry()) entries.push(entry)
    } catch (error) {
      throw isDamaged(this.name, error)
    }
    this.#refuseOverlaps(entries)
    return entries
      .map((entry) => new ZipMember(this.#zip, entry, this.name, this.#budget))
      .filter(({ isFile }) => isFile)
  }

  #refuseOverlaps(entries: readonly Entry[]): void {
    const places = entries
      .map(({ relativeOffsetOfLocalHeader: from, compressedSize }) => ({
        from,
        end: from + LOCAL_HEADER_BYTES + compressedSize,
      }))
      .toSorted((one, other) => one.from - other.from)
    let end = 0
    for (const place of places) {
      if (place.from < end)
        throw new RefusedError('invalid', `${this.name}: members of the archive overlap`)
      end = place.end
    }
  }
}

/** A member of an archive. Its name is displayed, never used as a path: it may leave its folder. */
export class ZipMember {
  readonly name: string
  readonly #own: string
  readonly #zip: ZipFile
  readonly #entry: Entry
  readonly #budget: ArchiveBudget

  constructor(zip: ZipFile, entry: Entry, archive: string, budget: ArchiveBudget) {
    const bytes = entry.fileNameRaw
    this.#own = bytes.toString('utf8').replaceAll('\\', '/')
    // An archive does not name an encoding other than UTF-8.
    const shown = isUtf8(bytes) ? this.#own : shownName(bytes)
    // Terminals obey control characters.
    this.name = `${archive} > ${shown.replaceAll(/\p{Cc}/gu, '�')}`
    this.#zip = zip
    this.#entry = entry
    this.#budget = budget
  }

  /** Whether it is neither a folder nor metadata of macOS. */
  get isFile(): boolean {
    return !/\/$|(^|\/)__MACOSX\//.test(this.#own)
  }

  /** The name that the archive gives it, with slashes. */
  get ownName(): string {
    return this.#own
  }

  /** The inflated size that the archive states. */
  get bytes(): number {
    return this.#entry.uncompressedSize
  }

  /** Matches a pattern with a slash with the whole name, any other with its last part. */
  matches(pattern: string): boolean {
    const last = this.#own.slice(this.#own.lastIndexOf('/') + 1)
    return matchesGlob(pattern.includes('/') ? this.#own : last, pattern)
  }

  /** The inflated bytes, counted against the budget. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    let sum = 0
    try {
      for await (const chunk of await this.#open()) {
        this.#budget.addInflated(chunk.length, this.name)
        sum = crc32(chunk, sum)
        yield chunk
      }
      if (sum !== this.#entry.crc32) throw new Error('its checksum does not match')
    } catch (error) {
      throw isDamaged(this.name, error)
    }
  }

  async firstBytes(count: number): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    let bytes = 0
    try {
      for await (const chunk of await this.#open()) {
        chunks.push(chunk)
        bytes += chunk.length
        if (bytes >= count) break
      }
    } catch (error) {
      throw isDamaged(this.name, error)
    }
    return Buffer.concat(chunks).subarray(0, count)
  }

  async #open(): Promise<AsyncIterable<Uint8Array>> {
    if (this.#entry.canDecodeFileData()) return this.#zip.openReadStreamPromise(this.#entry)
    throw new RefusedError('invalid', `${this.name} is encrypted or compressed in an unknown way`)
  }
}
