import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { addressBlock } from '../domain/access/address-block.ts'
import { FailureLevels } from '../domain/access/failure-levels.ts'

/** The delay in milliseconds for each second of `Retry-After`. */
const DELAY_PER_SECOND = 50
const LONGEST_DELAY_MILLISECONDS = 2000

/** The maximum number of delayed callers; more are refused without delay. */
const DELAYED_MAXIMUM = 100

/** An application may have this multiple of the failures of one address, from all addresses. */
const OWNER_FACTOR = 10

/**
 * Delays callers with wrong secrets, by address and by the owner of the secret.
 *
 * It is called after a secret was found to be wrong: a correct secret is never delayed.
 */
export class Throttle {
  readonly #byAddress: FailureLevels
  readonly #byOwner: FailureLevels
  readonly #now: () => number
  #waiting = 0

  constructor({ failuresPerMinute, now }: { failuresPerMinute: number; now(): number }) {
    const seed = randomBytes(16)
    this.#byAddress = new FailureLevels({ limitPerMinute: failuresPerMinute, seed })
    this.#byOwner = new FailureLevels({ limitPerMinute: failuresPerMinute * OWNER_FACTOR, seed })
    this.#now = now
  }

  /**
   * The seconds until an attempt may be compared at all, for secrets that people choose: an attempt from
   * an address with too many failures waits, and where the owner has too many, from each address that
   * has failed.
   */
  waitSeconds(address: string, owner: string): number {
    const now = this.#now()
    const block = addressBlock(address)
    const ofAddress = this.#byAddress.retryAfterSeconds(block, now)
    if (!this.#byAddress.hasFailed(block, now)) return ofAddress
    return Math.max(ofAddress, this.#byOwner.retryAfterSeconds(owner, now))
  }

  /**
   * Counts a wrong secret. Returns the seconds until the next attempt is allowed, 0 for at once.
   *
   * Unless that is 0 it delays the caller first, longer with more failures.
   */
  async fail(address: string, owner?: string): Promise<number> {
    const now = this.#now()
    const block = addressBlock(address)
    const seconds = Math.max(
      this.#byAddress.retryAfterSeconds(block, now),
      owner === undefined ? 0 : this.#byOwner.retryAfterSeconds(owner, now),
    )
    this.#byAddress.fail(block, now)
    if (owner !== undefined) this.#byOwner.fail(owner, now)
    if (seconds > 0) await this.#delay(seconds)
    return seconds
  }

  async #delay(seconds: number): Promise<void> {
    if (this.#waiting >= DELAYED_MAXIMUM) return
    this.#waiting++
    const milliseconds = seconds * DELAY_PER_SECOND
    await wait(Math.min(milliseconds, LONGEST_DELAY_MILLISECONDS), undefined, { ref: false })
    this.#waiting--
  }
}
