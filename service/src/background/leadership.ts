import { randomUUID } from 'node:crypto'
import type { LeaseStore } from '../storage/storage.ts'

const TERM_MILLISECONDS = 60_000

/** The number of renewals of the lease in a term. */
const RENEWALS = 4

/** The part of a term before its end by which a leader that could not renew the lease stops. */
const MARGIN = 0.3

export type LeadershipOptions = {
  /** The name of the lease, which one instance holds at a time. */
  name: string
  leases: LeaseStore
  now(): number
  /** When the leader dies, another instance takes over within this time. */
  termMilliseconds?: number
  /** Whether the lease is kept after the work, until its term ends. */
  isKept?: boolean
}

/** Leader election among the instances of one database, by a lease. */
export class Leadership implements AsyncDisposable {
  readonly #options: LeadershipOptions
  readonly #term: number
  readonly #holder = randomUUID()

  constructor(options: LeadershipOptions) {
    this.#options = options
    this.#term = options.termMilliseconds ?? TERM_MILLISECONDS
  }

  get renewalMilliseconds(): number {
    return this.#term / RENEWALS
  }

  /**
   * Does the work while this instance holds the lease; returns false without doing it while another
   * instance does.
   *
   * The work's signal is aborted by `stop`, when another instance has taken the lease, and before
   * the term ends when the lease cannot be renewed; in the last two cases this throws afterwards.
   */
  async run(work: (signal: AbortSignal) => Promise<void>, stop?: AbortSignal): Promise<boolean> {
    if (stop?.aborted === true) return false
    const validMilliseconds = await this.#take()
    if (validMilliseconds === undefined) return false
    if (validMilliseconds <= 0) {
      await this.#release()
      throw new Error(`the database took too long to grant the lease "${this.#options.name}"`)
    }
    const lost = new AbortController()
    const signal = stop === undefined ? lost.signal : AbortSignal.any([stop, lost.signal])
    const renewal = this.#keepRenewing(validMilliseconds, lost)
    try {
      if (!signal.aborted) await work(signal)
    } finally {
      await renewal[Symbol.asyncDispose]()
      if (lost.signal.aborted || this.#options.isKept !== true) await this.#release()
    }
    renewal.throwIfLost()
    return true
  }

  /** Releases a lease that is kept. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#release()
  }

  #keepRenewing(validMilliseconds: number, lost: AbortController) {
    const { name } = this.#options
    let failure: Error | undefined
    const expire = (): void => lost.abort(new Error(`the lease "${name}" was not renewed in time`))
    let expiry = setTimeout(expire, validMilliseconds).unref()
    const renew = async (): Promise<void> => {
      const renewedMilliseconds = await this.#take()
      if (renewedMilliseconds === undefined)
        return lost.abort(new Error(`another instance has taken the lease "${name}"`))
      failure = undefined
      clearTimeout(expiry)
      expiry = setTimeout(expire, renewedMilliseconds).unref()
    }
    let renewing: Promise<void> | undefined
    const timer = setInterval(() => {
      renewing ??= renew()
        .catch((error: Error) => void (failure = error))
        .finally(() => (renewing = undefined))
    }, this.renewalMilliseconds).unref()
    return {
      async [Symbol.asyncDispose]() {
        clearInterval(timer)
        await renewing
        clearTimeout(expiry)
      },
      throwIfLost() {
        if (lost.signal.aborted) throw failure ?? lost.signal.reason
      },
    }
  }

  /** Takes or renews the lease; returns how long it is valid, or undefined if another instance has it. */
  async #take(): Promise<number | undefined> {
    const { name, leases, now } = this.#options
    const requestedAt = now()
    const until = requestedAt + this.#term
    if (!(await leases.take({ name, holder: this.#holder, now: requestedAt, until })))
      return undefined
    return Math.min(until - now(), this.#term) - MARGIN * this.#term
  }

  /** A lease that cannot be released ends with its term. */
  async #release(): Promise<void> {
    await this.#options.leases.leave(this.#options.name, this.#holder).catch(() => undefined)
  }
}
