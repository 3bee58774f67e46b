/**
 * Sends works in the order in which they were given, however long each takes to prepare; nothing waits
 * until an earlier work has ended, only until it has been sent.
 */
export class InOrder {
  #last: Promise<void> | undefined

  /** Resolves when every work that was given until now has been sent or has failed. */
  async sent(): Promise<void> {
    await this.#last
  }

  /** Calls `send` with what `prepare` comes to, after every earlier work has been sent or has failed. */
  async run<Prepared, Result>(
    prepare: () => Prepared | Promise<Prepared>,
    send: (prepared: Prepared) => Promise<Result>,
  ): Promise<Result> {
    const before = this.#last
    const preparing = prepare()
    if (before === undefined && !(preparing instanceof Promise)) return send(preparing)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    try {
      const prepared = await preparing
      if (before !== undefined) await before
      // Not awaited: the next work is sent while this one is under way.
      return send(prepared)
    } finally {
      // A work that fails early lets no later one pass the earlier ones.
      void Promise.resolve(before).then(() => {
        resolve()
        if (this.#last === promise) this.#last = undefined
      })
    }
  }
}
