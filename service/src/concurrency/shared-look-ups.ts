type Waiting<Key, Found> = PromiseWithResolvers<Found | undefined> & { key: Key }

/**
 * How many look-ups run at once, and how many keys each has. Where the last one has begun longer ago
 * than `patienceMilliseconds`, a new key does not wait for those that run.
 */
export type LookUpLimits = { atOnce: number; keys: number; patienceMilliseconds?: number }

/**
 * Finds values of keys where one look-up of many keys costs little more than one of one: keys that come
 * while look-ups are under way share the next one. A key is never looked up before it was asked for.
 */
export class SharedLookUps<Key, Found> {
  readonly #find: (keys: readonly Key[]) => Promise<readonly (Found | undefined)[]>
  readonly #limits: LookUpLimits
  readonly #waiting: Waiting<Key, Found>[] = []
  #running = 0
  #begunAt = 0

  /** `find` returns what it has found in the order of the keys. */
  constructor(
    find: (keys: readonly Key[]) => Promise<readonly (Found | undefined)[]>,
    limits: LookUpLimits,
  ) {
    this.#find = find
    this.#limits = limits
  }

  /** The value of a key, undefined where there is none; throws what its look-up has thrown. */
  find(key: Key): Promise<Found | undefined> {
    const waiting = { key, ...Promise.withResolvers<Found | undefined>() }
    this.#waiting.push(waiting)
    if (this.#running < this.#limits.atOnce || this.#isSlow()) void this.#run()
    return waiting.promise
  }

  #isSlow(): boolean {
    const { patienceMilliseconds = Infinity } = this.#limits
    return performance.now() - this.#begunAt > patienceMilliseconds
  }

  async #run(): Promise<void> {
    this.#running++
    while (this.#waiting.length > 0) {
      this.#begunAt = performance.now()
      const taken = this.#waiting.splice(0, this.#limits.keys)
      try {
        const found = await this.#find(taken.map(({ key }) => key))
        for (const [at, { resolve }] of taken.entries()) resolve(found[at])
      } catch (error) {
        for (const { reject } of taken) reject(error)
      }
    }
    this.#running--
  }
}
