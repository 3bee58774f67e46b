/** Does one piece of work after another, in the order in which they were given. */
export class SerialQueue {
  #last: Promise<void> = Promise.resolve()
  #length = 0

  /** How many pieces of work have not ended. */
  get length(): number {
    return this.#length
  }

  /** Begins the work at once, or when all that was given before has ended, failed or not. */
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
