import type { Statement } from '../../sql/statement.ts'

/** A write that waits: its statements, and the sources that it keeps until it has ended. */
export type Job<Result> = {
  statements: readonly Statement[]
  keys: readonly string[]
  result: PromiseWithResolvers<Result>
}

/**
 * Writes in the order in which they came. A write begins only when no earlier one of the same sources
 * is under way elsewhere: it was computed from what these leave.
 */
export class WriteQueue<Result> {
  readonly #waiting: Job<Result>[] = []
  readonly #held = new Set<string>()

  get length(): number {
    return this.#waiting.length
  }

  add(statements: readonly Statement[]): Promise<Result> {
    const result = Promise.withResolvers<Result>()
    this.#waiting.push({ statements, keys: keysOf(statements), result })
    return result.promise
  }

  /** Takes writes for one transaction, at most `most`; their sources are held until `release`. */
  take(most: number): Job<Result>[] {
    const taken: Job<Result>[] = []
    const own = new Set<string>()
    const passed = new Set<string>()
    for (let at = 0; at < this.#waiting.length && taken.length < most;) {
      const job = this.#waiting[at]
      if (job === undefined) break
      const isFree = job.keys.every(
        (key) => !passed.has(key) && (own.has(key) || !this.#held.has(key)),
      )
      if (!isFree) {
        for (const key of job.keys) passed.add(key)
        at++
        continue
      }
      for (const key of job.keys) {
        own.add(key)
        this.#held.add(key)
      }
      taken.push(job)
      this.#waiting.splice(at, 1)
    }
    return taken
  }

  release(jobs: readonly Job<Result>[]): void {
    for (const { keys } of jobs) for (const key of keys) this.#held.delete(key)
  }
}

const keysOf = (statements: readonly Statement[]): string[] =>
  statements.flatMap(({ locks }) =>
    locks === undefined ? [] : locks.sources.map((source) => `${locks.kind} ${source}`),
  )
