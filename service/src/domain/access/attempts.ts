import { setTimeout as wait } from 'node:timers/promises'
import { addressBlock } from './address-block.ts'
import { Throttle } from './throttle.ts'

/** So many milliseconds of waiting for each second that the caller is told to stay away. */
const DELAY_PER_SECOND = 50
const LONGEST_DELAY_MILLISECONDS = 2000

/** So many refused callers wait at once; who comes when the places are taken is refused at once. */
const PLACES = 100

/** So many times as many failures as an address may have, an application may have from everywhere. */
const OWNER_FACTOR = 10

/**
 * Makes wrong secrets cost time, by address and by whose secret it was to be.
 *
 * It is asked after a secret was found wrong: a right one passes whatever came before it.
 */
export class FailedAttempts {
  readonly #byAddress: Throttle
  readonly #byOwner: Throttle
  readonly #now: () => number
  #waiting = 0

  constructor({ failuresPerMinute, now }: { failuresPerMinute: number; now(): number }) {
    this.#byAddress = new Throttle({ limitPerMinute: failuresPerMinute })
    this.#byOwner = new Throttle({ limitPerMinute: failuresPerMinute * OWNER_FACTOR })
    this.#now = now
  }

  /**
   * Counts a wrong secret; the whole seconds after which the next is worth a try, 0 for at once.
   *
   * Where that is not at once, it first lets the caller wait, the longer the more failures there are.
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
    if (this.#waiting >= PLACES) return
    this.#waiting++
    const milliseconds = seconds * DELAY_PER_SECOND
    await wait(Math.min(milliseconds, LONGEST_DELAY_MILLISECONDS), undefined, { ref: false })
    this.#waiting--
  }
}
