import { setTimeout as sleep } from 'node:timers/promises'
import { RefusedError } from '../../errors/refused-error.ts'
import { OutdatedError } from '../../errors/outdated-error.ts'

const ATTEMPTS = 50
const ATTEMPTS_WITHOUT_REST = 3
const REST_MILLISECONDS = 20

/** Counts how often a write in a row was refused since others had written what it follows from. */
export class Retries {
  readonly #what: string
  #count = 0

  /** `what` others write, for a sentence. */
  constructor(what: string) {
    this.#what = what
  }

  /**
   * Resolves when it may be tried again. Throws every other error as it is, and refuses after fifty
   * in a row.
   */
  async after(error: unknown): Promise<void> {
    if (!(error instanceof OutdatedError)) throw error
    if (++this.#count === ATTEMPTS)
      throw new RefusedError('unavailable', `Others write ${this.#what} all the time; try again.`, {
        retryAfterSeconds: 1,
      })
    if (this.#count > ATTEMPTS_WITHOUT_REST) await sleep(REST_MILLISECONDS)
  }

  succeeded(): void {
    this.#count = 0
  }
}
