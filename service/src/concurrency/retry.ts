import { setTimeout as pause } from 'node:timers/promises'
import { isConflict, type ConflictReason } from '../errors/conflict-error.ts'
import { RefusedError } from '../errors/refused-error.ts'

const ATTEMPTS = 50
const ATTEMPTS_WITHOUT_PAUSE = 3
const LONGEST_PAUSE_MILLISECONDS = 40

export type Retrying = {
  /** Conflicts of these reasons are tried again; every other error is thrown as it is. */
  reasons: readonly ConflictReason[]
  /** What other writers keep changing, for the sentence of a refusal. */
  what: string
}

/**
 * Counts conflicts in a row and decides when the work is tried again: three times at once, then
 * after a random pause, so that writers do not meet again; after the fiftieth the request is refused as `unavailable`.
 */
export class Retries {
  readonly #retrying: Retrying
  #count = 0

  constructor(retrying: Retrying) {
    this.#retrying = retrying
  }

  /** Resolves when the work may be tried again; throws what is no such conflict. */
  async after(error: unknown): Promise<void> {
    const { reasons, what } = this.#retrying
    if (!isConflict(error, ...reasons)) throw error
    if (++this.#count === ATTEMPTS)
      throw new RefusedError('unavailable', `Other writers keep changing ${what}; try again.`, {
        retryAfterSeconds: 1,
      })
    if (this.#count > ATTEMPTS_WITHOUT_PAUSE)
      await pause(Math.random() * LONGEST_PAUSE_MILLISECONDS)
  }

  succeeded(): void {
    this.#count = 0
  }
}

/** Does work again, each time from the start, until it succeeds without a conflict. */
export async function retryOnConflict<Result>(
  retrying: Retrying,
  work: () => Promise<Result>,
): Promise<Result> {
  const retries = new Retries(retrying)
  while (true)
    try {
      return await work()
    } catch (error) {
      await retries.after(error)
    }
}
