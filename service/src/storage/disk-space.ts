import { statfsSync } from 'node:fs'
import { RefusedError } from '../errors/refused-error.ts'
import { megabytesOf } from '../errors/show.ts'

/** A look at the disk costs microseconds, but a commit happens thousands of times in a second. */
const FRESH_MILLISECONDS = 250
const RETRY_SECONDS = 60

/** So much more than the limit has to be free before it counts as kept again. */
const RETURN_FACTOR = 1.1

export type DiskSpaceLimits = {
  /** Below this the operator is warned; 0: never. */
  warnBytes: number
  /** Below this nothing is taken in; 0: until the disk is full. */
  stopBytes: number
}

export type DiskSpaceState = {
  state: 'enough' | 'low' | 'stopped'
  freeBytes: number
  warnBytes: number
  stopBytes: number
}

/** How much of the disk of a folder is free, and whether it is enough to take records in. */
export class DiskSpace {
  readonly folder: string
  readonly #limits: DiskSpaceLimits
  #freeBytes = Infinity
  #lookedAt = -Infinity
  #isLow = false
  #isStopped = false

  constructor(folder: string, limits: DiskSpaceLimits) {
    this.folder = folder
    this.#limits = limits
  }

  state(): DiskSpaceState {
    this.#look()
    const state = this.#isStopped ? 'stopped' : this.#isLow ? 'low' : 'enough'
    return { state, freeBytes: this.#freeBytes, ...this.#limits }
  }

  /** Why nothing is taken in, as a sentence. */
  findProblem(): string | undefined {
    const { state, freeBytes, stopBytes } = this.state()
    if (state !== 'stopped') return undefined
    return `Nothing is stored at the moment: the disk has ${megabytesOf(freeBytes)} free, and ${megabytesOf(stopBytes)} stay free (storage.stopFreeMegabytes).`
  }

  /** Throws a `RefusedError` while nothing is taken in. */
  requireSpace(): void {
    const problem = this.findProblem()
    if (problem !== undefined)
      throw new RefusedError('unavailable', problem, { retryAfterSeconds: RETRY_SECONDS })
  }

  #look(): void {
    const now = performance.now()
    if (now - this.#lookedAt < FRESH_MILLISECONDS) return
    this.#lookedAt = now
    try {
      this.#freeBytes = freeBytesOf(this.folder)
    } catch {
      // A folder that is gone is another problem, which the database names.
      return
    }
    const { warnBytes, stopBytes } = this.#limits
    this.#isLow = isBelow(this.#freeBytes, Math.max(warnBytes, stopBytes), this.#isLow)
    this.#isStopped = isBelow(this.#freeBytes, stopBytes, this.#isStopped)
  }
}

/** What others than root may still use of the disk of a folder. */
export function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

const isBelow = (free: number, limit: number, was: boolean): boolean =>
  free < (was ? limit * RETURN_FACTOR : limit)
