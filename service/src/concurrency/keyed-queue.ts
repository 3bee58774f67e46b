/**
 * Runs works that share a key one after the other, in the order in which they were added. Works without
 * a common key run beside each other.
 */
export class KeyedQueue<Key> {
  /** The end of the last work of each key. */
  readonly #ends = new Map<Key, Promise<void>>()

  /** Whether a work with one of the keys has not ended. */
  isBusy(keys: Iterable<Key>): boolean {
    if (this.#ends.size === 0) return false
    for (const key of keys) if (this.#ends.has(key)) return true
    return false
  }

  /** Begins the work at once, or when all works before it that share a key have ended or failed. */
  async run<Result>(keys: ReadonlySet<Key>, work: () => Promise<Result>): Promise<Result> {
    const before = new Set<Promise<void>>()
    const own = Promise.withResolvers<void>()
    for (const key of keys) {
      const end = this.#ends.get(key)
      if (end !== undefined) before.add(end)
      this.#ends.set(key, own.promise)
    }
    try {
      if (before.size > 0) await Promise.all(before)
      return await work()
    } finally {
      for (const key of keys) if (this.#ends.get(key) === own.promise) this.#ends.delete(key)
      own.resolve()
    }
  }
}
