import { RefusedError } from '../../errors/refused-error.ts'

/** Limits of an archive, with the archives within it. */
export type ArchiveLimits = {
  inflatedBytes: number
  /** Inflated bytes for each byte of the archive, once `FREE_BYTES` are exceeded. */
  ratio: number
  members: number
  depth: number
}

/** Inflated bytes that an archive of any size may have. */
const FREE_BYTES = 64 * 1024 * 1024

/**
 * Counts members and inflated bytes of an archive; throws a `RefusedError` beyond a limit.
 *
 * It does not rely on sizes that the archive states. After an excess every further call throws too.
 */
export class ArchiveBudget {
  readonly #archiveBytes: number
  readonly #limits: ArchiveLimits
  #inflated = 0
  #members = 0
  #excess: string | undefined

  constructor(archiveBytes: number, limits: ArchiveLimits) {
    this.#archiveBytes = archiveBytes
    this.#limits = limits
  }

  get isExceeded(): boolean {
    return this.#excess !== undefined
  }

  /** Counts an archive that is opened at a depth; the outermost is at 1. */
  enter(depth: number, name: string): void {
    const { depth: most } = this.#limits
    if (depth > most)
      this.#refuse(
        `${name}: more than ${most} archives within each other (ingest.archives.maxDepth)`,
      )
    this.#check()
  }

  addMembers(count: number, name: string): void {
    const { members } = this.#limits
    this.#members += count
    if (this.#members > members)
      this.#refuse(
        `${name}: the archive has more than ${show(members)} members (--max-members, ingest.archives.maxMembers)`,
      )
    this.#check()
  }

  addInflated(bytes: number, name: string): void {
    const { inflatedBytes, ratio } = this.#limits
    this.#inflated += bytes
    if (this.#inflated > inflatedBytes)
      this.#refuse(
        `${name}: the archive inflates to more than ${show(inflatedBytes / 2 ** 20)} MB (--max-inflated, ingest.archives.maxInflatedMegabytes)`,
      )
    if (this.#inflated > Math.max(FREE_BYTES, ratio * this.#archiveBytes))
      this.#refuse(
        `${name}: the archive inflates to more than ${show(ratio)} times its size (--max-ratio, ingest.archives.maxRatio)`,
      )
    this.#check()
  }

  #refuse(reason: string): void {
    this.#excess ??= `${reason}; the rest of it is not read.`
  }

  #check(): void {
    if (this.#excess !== undefined) throw new RefusedError('invalid', this.#excess)
  }
}

const show = (count: number): string => count.toLocaleString('en')
