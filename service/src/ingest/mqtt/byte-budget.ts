/** Limits the bytes in memory; a request that exceeds the limit waits, in the order of requests. */
export class ByteBudget {
  readonly #limit: number
  readonly #waiting: { bytes: number; go: () => void }[] = []
  #taken = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get taken(): number {
    return this.#taken
  }

  /** Whether a request waits. */
  get isShort(): boolean {
    return this.#waiting.length > 0
  }

  /** Takes the bytes if they are free and no request waits. */
  tryTake(bytes: number): boolean {
    if (this.isShort || this.#taken + bytes > this.#limit) return false
    this.#taken += bytes
    return true
  }

  /**
   * Takes the bytes and calls `go`, at once where they are free. More bytes than the limit are given
   * when no others are taken.
   */
  take(bytes: number, go: () => void): void {
    this.#waiting.push({ bytes, go })
    this.#serve()
  }

  release(bytes: number): void {
    this.#taken -= bytes
    this.#serve()
  }

  #serve(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#taken > 0 && this.#taken + next.bytes > this.#limit) return
      this.#waiting.shift()
      this.#taken += next.bytes
      next.go()
    }
  }
}
