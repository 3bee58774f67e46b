import { randomBytes } from 'node:crypto'
import { Budget } from '../../concurrency/budget.ts'
import { hashPassword, isPasswordOf, SALT_BYTES } from '../../domain/access/password-hash.ts'
import { RefusedError } from '../../errors/refused-error.ts'

/** Each takes 19 MiB and a core for a moment. */
const AT_ONCE = 2

/** Beyond that a caller waits too long: it is told to come again. */
const WAITING_MAXIMUM = 50

/** Hashes and compares passwords, a few at a time; the others wait in their order. */
export class PasswordChecks {
  readonly #budget = new Budget(AT_ONCE)
  #callers = 0

  hash(password: string): Promise<string> {
    return this.#run(() => hashPassword(password, randomBytes(SALT_BYTES)))
  }

  isPasswordOf(phc: string, password: string): Promise<boolean> {
    return this.#run(() => isPasswordOf(phc, password))
  }

  async #run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#callers >= WAITING_MAXIMUM)
      throw new RefusedError('unavailable', 'Too many people sign in at the moment.', {
        retryAfterSeconds: 2,
      })
    this.#callers++
    try {
      await new Promise<void>((resolve) => this.#budget.take(1, resolve))
      try {
        return await work()
      } finally {
        this.#budget.release(1)
      }
    } finally {
      this.#callers--
    }
  }
}
