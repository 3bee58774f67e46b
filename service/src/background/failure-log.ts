const EVERY_MILLISECONDS = 60_000

export type FailureLogOptions = {
  /** Receives the sentences about failures. */
  warn(sentence: string): void
  /** Receives the sentence that the work succeeds again. */
  inform(sentence: string): void
  /** A monotonic clock in milliseconds. */
  monotonic?: (() => number) | undefined
}

/** Logs work that is tried again and again: its failures once a minute at most, and their end. */
export class FailureLog {
  readonly #options: FailureLogOptions
  readonly #monotonic: () => number
  #loggedAt: number | undefined
  #isLogged = false

  constructor(options: FailureLogOptions) {
    this.#options = options
    this.#monotonic = options.monotonic ?? (() => performance.now())
  }

  fail(sentence: string): void {
    const now = this.#monotonic()
    if (this.#loggedAt !== undefined && now - this.#loggedAt < EVERY_MILLISECONDS) return
    this.#loggedAt = now
    this.#isLogged = true
    this.#options.warn(sentence)
  }

  succeed(sentence: string): void {
    if (!this.#isLogged) return
    this.#isLogged = false
    this.#options.inform(sentence)
  }
}
