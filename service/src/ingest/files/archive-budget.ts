import { RefusedError } from '../../errors/refused-error.ts'

/** What an archive may cost, archives within it included. */
export type ArchiveLimits = {
  inflatedBytes: number
  /** Inflated bytes for each byte of the archive, beyond the first ones. */
  ratio: number
  members: number
  depth: number
}

/** So much may come out of an archive of any size. */
const FREE_BYTES = 64 * 1024 * 1024

/**
 * Counts what an archive costs while it is inflated, and refuses what is beyond the limits.
 *
 * Sizes that the archive itself states are not believed. After an excess every further step is
 * refused too.
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

  /** An archive at this depth, the outermost being 1, is opened. */
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

  #refuse(words: string): void {
    this.#excess ??= `${words}; the rest of it is not read.`
  }

  #check(): void {
    if (this.#excess !== undefined) throw new RefusedError('invalid', this.#excess)
  }
}

const show = (count: number): string => count.toLocaleString('en')
