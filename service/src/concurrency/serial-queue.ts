/** Runs work one at a time, in the order in which it was added. */
export class SerialQueue {
  #last: Promise<void> = Promise.resolve()
  #length = 0

  /** The number of works that have not ended. */
  get length(): number {
    return this.#length
  }

  /** Begins the work at once, or when all work before it has ended or failed. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#last
    const ended = Promise.withResolvers<void>()
    this.#last = ended.promise
    const result = this.#length++ === 0 ? Promise.try(work) : before.then(work)
    const end = (): void => {
      this.#length--
      ended.resolve()
    }
    result.then(end, end)
    return result
  }
}
