type Waiting = { amount: number; grant(): void }

/**
 * Limits an amount, such as bytes, that is in use at a time; requests beyond it wait in their order.
 *
 * A request for more than the limit is granted when nothing else is in use.
 */
export class Budget {
  readonly #limit: () => number
  readonly #waiting: Waiting[] = []
  #used = 0

  /** A limit that is a function may change while the budget is in use. */
  constructor(limit: number | (() => number)) {
    this.#limit = typeof limit === 'number' ? () => limit : limit
  }

  /** Whether a request waits. */
  get isShort(): boolean {
    return this.#waiting.length > 0
  }

  /** Takes the amount and returns true, if it is free and no request waits. */
  tryTake(amount: number): boolean {
    if (this.isShort || !this.#hasRoomFor(amount)) return false
    this.#used += amount
    return true
  }

  /** Takes the amount and calls `grant`: at once if it is free and no request waits. */
  take(amount: number, grant: () => void): void {
    this.#waiting.push({ amount, grant })
    this.#grantNext()
  }

  release(amount: number): void {
    this.#used -= amount
    this.#grantNext()
  }

  #hasRoomFor(amount: number): boolean {
    return this.#used === 0 || this.#used + amount <= this.#limit()
  }

  #grantNext(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (!this.#hasRoomFor(next.amount)) return
      this.#waiting.shift()
      this.#used += next.amount
      next.grant()
    }
  }
}
