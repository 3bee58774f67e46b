import { setTimeout as pause } from 'node:timers/promises'
import { isConflict, type ConflictReason } from '../errors/conflict-error.ts'
import { RefusedError } from '../errors/refused-error.ts'

const ATTEMPTS = 50
const ATTEMPTS_WITHOUT_PAUSE = 3
const LONGEST_PAUSE_MILLISECONDS = 40

type RetryPolicy = {
  /** Conflicts for these reasons are tried again; every other error is thrown. */
  reasons: readonly ConflictReason[]
  /** What other writers change, for the sentence of the error. */
  what: string
}

/**
 * Counts conflicts in a row. The work is tried again three times at once, then after random pauses, so
 * that writers do not collide again; after the fiftieth conflict it is refused as `unavailable`.
 */
export class Retries {
  readonly #policy: RetryPolicy
  #count = 0

  constructor(policy: RetryPolicy) {
    this.#policy = policy
  }

  /** Resolves when the work may be tried again; throws any other error. */
  async after(error: unknown): Promise<void> {
    const { reasons, what } = this.#policy
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

/** Repeats work from the start until it succeeds without a conflict. */
export async function retryOnConflict<Result>(
  policy: RetryPolicy,
  work: () => Promise<Result>,
): Promise<Result> {
  const retries = new Retries(policy)
  while (true)
    try {
      return await work()
    } catch (error) {
      await retries.after(error)
    }
}
