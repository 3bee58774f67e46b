import { RefusedError } from '../../../errors/refused-error.ts'

/** Bytes of each body that are not counted, so that small requests never wait for large ones. */
const FREE_BYTES = 64 * 1024

const RETRY_SECONDS = 2

type WaitingBody = { bytes: number; grant(): void }

/** Limits the memory of the bodies of all requests together. */
export class BodyBudget {
  readonly #total: number
  readonly #waitMilliseconds: number
  readonly #waiting = new Set<WaitingBody>()
  #used = 0

  /** A body that does not fit waits up to `waitMilliseconds`, then it is refused. */
  constructor({ bytes, waitMilliseconds = 2_000 }: { bytes: number; waitMilliseconds?: number }) {
    this.#total = bytes
    this.#waitMilliseconds = waitMilliseconds
  }

  /** Bytes in use. */
  get used(): number {
    return this.#used
  }

  open(): BodyLease {
    return new BodyLease(this)
  }

  /** Resolves when the bytes fit; bodies are served in the order in which they came. */
  async take(bytes: number): Promise<void> {
    if (this.#waiting.size === 0 && this.#used + bytes <= this.#total) {
      this.#used += bytes
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: WaitingBody = { bytes, grant: resolve }
    this.#waiting.add(waiting)
    const timer = setTimeout(() => {
      this.#waiting.delete(waiting)
      reject(
        new RefusedError(
          'unavailable',
          'The memory for request bodies (http.bodyBudgetMegabytes) is used up. Send the request again.',
          { retryAfterSeconds: RETRY_SECONDS },
        ),
      )
      // The next body may need less.
      this.#grant()
    }, this.#waitMilliseconds)
    try {
      await promise
    } finally {
      clearTimeout(timer)
    }
  }

  release(bytes: number): void {
    this.#used -= bytes
    this.#grant()
  }

  #grant(): void {
    for (const waiting of this.#waiting) {
      if (this.#used + waiting.bytes > this.#total) return
      this.#waiting.delete(waiting)
      this.#used += waiting.bytes
      waiting.grant()
    }
  }
}

/** The share of one body in the budget. */
export class BodyLease {
  readonly #budget: BodyBudget
  readonly #listeners: (() => void)[] = []
  #bytes = 0
  #isReleased = false

  constructor(budget: BodyBudget) {
    this.#budget = budget
  }

  /** Takes what is missing for a body of this size; rejects when the budget is used up. */
  async growTo(memoryBytes: number): Promise<void> {
    const more = memoryBytes - FREE_BYTES - this.#bytes
    if (more <= 0) return
    await this.#budget.take(more)
    if (this.#isReleased) this.#budget.release(more)
    else this.#bytes += more
  }

  /** Calls the listener once, when the lease is released. */
  onRelease(listener: () => void): void {
    if (this.#isReleased) listener()
    else this.#listeners.push(listener)
  }

  /** Returns all bytes to the budget; may be called more than once. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#budget.release(this.#bytes)
    for (const listener of this.#listeners) listener()
  }
}
