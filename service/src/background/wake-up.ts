/** A wait that a signal ends early. */
export class WakeUp {
  #signalled = Promise.withResolvers<void>()

  signal(): void {
    this.#signalled.resolve()
  }

  /** Waits for a signal, or for the time; returns at once after a signal since the last wait. */
  async wait(milliseconds: number): Promise<void> {
    const timer = setTimeout(() => this.signal(), milliseconds).unref()
    await this.#signalled.promise
    clearTimeout(timer)
    this.#signalled = Promise.withResolvers()
  }
}
