import { RefusedError } from '../../../errors/refused-error.ts'

/** So much of every body is outside the budget: small requests never wait for large ones. */
const FREE_BYTES = 64 * 1024

const RETRY_SECONDS = 2

type Waiting = { bytes: number; grant(): void }

/** Bounds the memory that the bodies of all connections take together. */
export class BodyBudget {
  readonly #total: number
  readonly #waitMilliseconds: number
  readonly #waiting = new Set<Waiting>()
  #used = 0

  /** A body that finds no room waits so long, then it is refused. */
  constructor({ bytes, waitMilliseconds = 2_000 }: { bytes: number; waitMilliseconds?: number }) {
    this.#total = bytes
    this.#waitMilliseconds = waitMilliseconds
  }

  /** Bytes that are taken now. */
  get used(): number {
    return this.#used
  }

  open(): BodyLease {
    return new BodyLease(this)
  }

  /** Resolves once there is room; whoever came first is first. */
  async take(bytes: number): Promise<void> {
    if (this.#waiting.size === 0 && this.#used + bytes <= this.#total) {
      this.#used += bytes
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiting = { bytes, grant: resolve }
    this.#waiting.add(waiting)
    const timer = setTimeout(() => {
      this.#waiting.delete(waiting)
      reject(
        new RefusedError(
          'unavailable',
          'The memory for bodies (http.bodyBudgetMegabytes) is used up; send this again.',
          { retryAfterSeconds: RETRY_SECONDS },
        ),
      )
      // Those behind may need less than it did.
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

/** What one body has of the budget. */
export class BodyLease {
  readonly #budget: BodyBudget
  readonly #ends: (() => void)[] = []
  #bytes = 0
  #isReleased = false

  constructor(budget: BodyBudget) {
    this.#budget = budget
  }

  /** Makes it as large as the memory of a body is. */
  async growTo(memoryBytes: number): Promise<void> {
    const more = memoryBytes - FREE_BYTES - this.#bytes
    if (more <= 0) return
    await this.#budget.take(more)
    if (this.#isReleased) this.#budget.release(more)
    else this.#bytes += more
  }

  /** Done once, when the body is needed no longer. */
  onRelease(end: () => void): void {
    if (this.#isReleased) end()
    else this.#ends.push(end)
  }

  /** Gives everything back; a second time changes nothing. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#budget.release(this.#bytes)
    for (const end of this.#ends) end()
  }
}
