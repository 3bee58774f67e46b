import { randomBytes } from 'node:crypto'
import { addressBlock } from '../domain/access/address-block.ts'
import { FailureLevels } from '../domain/access/failure-levels.ts'
import { Throttle } from './throttle.ts'

/** Right passwords of an account that an address may send in a minute, as a multiple of wrong ones. */
const RIGHT_FACTOR = 6

/**
 * Delays callers with wrong passwords and codes, by address and by account.
 *
 * Nobody can lock a person out who signs in from another address, but for one who knows the password and
 * guesses codes.
 */
export class SignInThrottle {
  readonly #secrets: Throttle
  readonly #codes: FailureLevels
  readonly #right: FailureLevels
  readonly #now: () => number

  constructor({ failuresPerMinute, now }: { failuresPerMinute: number; now(): number }) {
    const seed = randomBytes(16)
    this.#secrets = new Throttle({ failuresPerMinute, now })
    this.#codes = new FailureLevels({ limitPerMinute: failuresPerMinute, seed })
    this.#right = new FailureLevels({ limitPerMinute: failuresPerMinute * RIGHT_FACTOR, seed })
    this.#now = now
  }

  /** The seconds until a password or code of a name may be compared; 0 for now. */
  waitSeconds(address: string, name: string): number {
    const ofRight = this.#right.retryAfterSeconds(ownerAt(address, name), this.#now())
    return Math.max(ofRight, this.#secrets.waitSeconds(address, name))
  }

  /** Counts a wrong password or code, as `Throttle.fail` does. */
  fail(address: string, name: string): Promise<number> {
    return this.#secrets.fail(address, name)
  }

  /** Counts a right password: comparing one takes as long as of a wrong one, and leaves a line. */
  noteRight(address: string, name: string): void {
    this.#right.fail(ownerAt(address, name), this.#now())
  }

  /** The seconds until a code may be compared that comes after a right password, from any address. */
  waitSecondsOfCode(name: string): number {
    return this.#codes.retryAfterSeconds(name, this.#now())
  }

  /** Counts a wrong code after a right password. */
  failCode(address: string, name: string): Promise<number> {
    this.#codes.fail(name, this.#now())
    return this.fail(address, name)
  }
}

const ownerAt = (address: string, name: string): string => `${addressBlock(address)} ${name}`
