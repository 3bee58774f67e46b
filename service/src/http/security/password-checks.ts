import { randomBytes } from 'node:crypto'
import { Budget } from '../../concurrency/budget.ts'
import { addressBlock } from '../../domain/access/address-block.ts'
import { hashPassword, isPasswordOf, SALT_BYTES } from '../../domain/access/password-hash.ts'
import { RefusedError } from '../../errors/refused-error.ts'

/** Each takes 19 MiB and a core for a moment. */
const AT_ONCE = 2

/** Beyond that a caller waits too long: it is told to come again. */
const CALLERS_MAXIMUM = 50

/** Of one address block, so that the others find room. */
const CALLERS_OF_BLOCK = 8

const RETRY = { retryAfterSeconds: 2 }

/** Hashes and compares passwords, a few at a time; the others wait in their order. */
export class PasswordChecks {
  readonly #budget = new Budget(AT_ONCE)
  readonly #callersOf = new Map<string, number>()
  #callers = 0

  /** Hashes a password that came from an address. */
  hash(address: string, password: string): Promise<string> {
    return this.#run(address, () => hashPassword(password, randomBytes(SALT_BYTES)))
  }

  /** Compares a password that came from an address. */
  isPasswordOf(address: string, phc: string, password: string): Promise<boolean> {
    return this.#run(address, () => isPasswordOf(phc, password))
  }

  async #run<Result>(address: string, work: () => Promise<Result>): Promise<Result> {
    const block = addressBlock(address)
    const ofBlock = this.#callersOf.get(block) ?? 0
    if (ofBlock >= CALLERS_OF_BLOCK)
      throw new RefusedError('tooMany', 'Too many people sign in from this address.', RETRY)
    if (this.#callers >= CALLERS_MAXIMUM)
      throw new RefusedError('unavailable', 'Too many people sign in at the moment.', RETRY)
    this.#callersOf.set(block, ofBlock + 1)
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
      const left = (this.#callersOf.get(block) ?? 1) - 1
      if (left > 0) this.#callersOf.set(block, left)
      else this.#callersOf.delete(block)
    }
  }
}
