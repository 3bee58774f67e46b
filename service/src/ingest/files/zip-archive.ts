import { isUtf8 } from 'node:buffer'
import { matchesGlob } from 'node:path'
import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { fromFdPromise, type Entry, type ZipFile } from 'yauzl'
import { RefusedError } from '../../errors/refused-error.ts'
import type { ArchiveBudget } from './archive-budget.ts'
import { shownName } from './shown-name.ts'

/** What stands before the data of a member at least. */
const LOCAL_HEADER_BYTES = 30

const isDamaged = (name: string, error: unknown): RefusedError =>
  error instanceof RefusedError
    ? error
    : new RefusedError('invalid', `${name}: the archive is damaged: ${String(error)}`)

/** Whether a file begins as a ZIP archive does. */
export const isArchiveMark = (head: Uint8Array): boolean =>
  ['504b0304', '504b0506'].includes(Buffer.from(head).toString('hex'))

/** A ZIP archive in an open file; what it inflates to counts against a budget. */
export class ZipArchive {
  readonly name: string
  readonly #zip: ZipFile
  readonly #budget: ArchiveBudget

  private constructor(zip: ZipFile, name: string, budget: ArchiveBudget) {
    this.#zip = zip
    this.name = name
    this.#budget = budget
  }

  /** The file stays open, and whoever opened it closes it. */
  static async open(file: FileHandle, name: string, budget: ArchiveBudget): Promise<ZipArchive> {
    const options = { autoClose: false, decodeStrings: false, validateEntrySizes: true }
    try {
      return new ZipArchive(await fromFdPromise(file.fd, options), name, budget)
    } catch (error) {
      throw isDamaged(name, error)
    }
  }

  /** Its members but for folders; none overlaps another, which only an attack makes. */
  async list(): Promise<ZipMember[]> {
    // Checked before the list is read, and never exceeded by it.
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
      .filter(({ isText }) => isText)
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

/** A member of an archive. Its name is shown, never used: it may climb out of its folder. */
export class ZipMember {
  readonly name: string
  readonly #own: string
  readonly #zip: ZipFile
  readonly #entry: Entry
  readonly #budget: ArchiveBudget

  constructor(zip: ZipFile, entry: Entry, archive: string, budget: ArchiveBudget) {
    // Names come as bytes, since a name that climbs out would be an error otherwise.
    const bytes = entry.fileName as unknown as Buffer
    this.#own = bytes.toString('utf8').replaceAll('\\', '/')
    // An archive does not say which encoding another than UTF-8 is.
    const shown = isUtf8(bytes) ? this.#own : shownName(bytes)
    // Shown on terminals, which obey control characters.
    this.name = `${archive} > ${shown.replaceAll(/\p{Cc}/gu, '�')}`
    this.#zip = zip
    this.#entry = entry
    this.#budget = budget
  }

  /** Folders, and what a Mac adds, are none. */
  get isText(): boolean {
    return !/\/$|(^|\/)__MACOSX\//.test(this.#own)
  }

  /** As the archive states it. */
  get bytes(): number {
    return this.#entry.uncompressedSize
  }

  /** A pattern with a slash is for the whole name, any other for its last part. */
  matches(pattern: string): boolean {
    const last = this.#own.slice(this.#own.lastIndexOf('/') + 1)
    return matchesGlob(pattern.includes('/') ? this.#own : last, pattern)
  }

  /** The inflated bytes, counted as they come. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    let sum = 0
    try {
      for await (const piece of (await this.#open()) as AsyncIterable<Uint8Array>) {
        this.#budget.addInflated(piece.length, this.name)
        sum = crc32(piece, sum)
        yield piece
      }
      if (sum !== this.#entry.crc32) throw new Error('its checksum does not fit')
    } catch (error) {
      throw isDamaged(this.name, error)
    }
  }

  async firstBytes(count: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = []
    let bytes = 0
    try {
      for await (const piece of (await this.#open()) as AsyncIterable<Uint8Array>) {
        pieces.push(piece)
        bytes += piece.length
        if (bytes >= count) break
      }
    } catch (error) {
      throw isDamaged(this.name, error)
    }
    return Buffer.concat(pieces).subarray(0, count)
  }

  async #open(): Promise<Readable> {
    if (this.#entry.canDecodeFileData()) return this.#zip.openReadStreamPromise(this.#entry)
    throw new RefusedError('invalid', `${this.name} is encrypted or compressed in an unknown way`)
  }
}
