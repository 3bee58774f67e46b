/** Does one piece of work after another, in the order in which they were given. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()
  #length = 0

  /** How many pieces of work have not ended. */
  get length(): number {
    return this.#length
  }

  /** Begins the work when all that was given before has ended, also where some of it failed. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#length++
    const end = (): void => void this.#length--
    const result = this.#last.then(work)
    this.#last = result.then(end, end)
    return result
  }
}

const queues = new WeakMap<object, SerialQueue>()

/** Does one piece of work after another for an owner, in the order in which it was asked for. */
export const inTurn = <Result>(owner: object, work: () => Promise<Result>): Promise<Result> =>
  queues.getOrInsertComputed(owner, () => new SerialQueue()).run(work)
