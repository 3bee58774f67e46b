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
  #waiting: Job<Result>[] = []
  readonly #held = new Set<string>()

  /** How many waiting writes want a source. */
  readonly #wanted = new Map<string, number>()

  /** Adds a write. One that is blocked cannot begin before another write of its sources has ended. */
  add(statements: readonly Statement[]): { result: Promise<Result>; isBlocked: boolean } {
    const result = Promise.withResolvers<Result>()
    const keys = keysOf(statements)
    const isBlocked = keys.some((key) => this.#held.has(key) || this.#wanted.has(key))
    this.#waiting.push({ statements, keys, result })
    for (const key of keys) this.#wanted.set(key, (this.#wanted.get(key) ?? 0) + 1)
    return { result: result.promise, isBlocked }
  }

  /** Takes writes for one transaction, at most `most`; their sources are held until `release`. */
  take(most: number): Job<Result>[] {
    const taken: Job<Result>[] = []
    const left: Job<Result>[] = []
    const own = new Set<string>()
    const passed = new Set<string>()
    const isFree = (key: string): boolean =>
      !passed.has(key) && (own.has(key) || !this.#held.has(key))
    for (const [at, job] of this.#waiting.entries()) {
      if (taken.length === most) {
        left.push(...this.#waiting.slice(at))
        break
      }
      const mayBegin = job.keys.every(isFree)
      for (const key of job.keys) (mayBegin ? own : passed).add(key)
      ;(mayBegin ? taken : left).push(job)
    }
    this.#waiting = left
    for (const key of own) this.#held.add(key)
    for (const { keys } of taken) for (const key of keys) this.#forget(key)
    return taken
  }

  release(jobs: readonly Job<Result>[]): void {
    for (const { keys } of jobs) for (const key of keys) this.#held.delete(key)
  }

  #forget(key: string): void {
    const count = this.#wanted.get(key) ?? 0
    if (count > 1) this.#wanted.set(key, count - 1)
    else this.#wanted.delete(key)
  }
}

const keysOf = (statements: readonly Statement[]): string[] => [
  ...new Set(
    statements.flatMap(({ locks }) =>
      locks === undefined ? [] : locks.sources.map((source) => `${locks.kind} ${source}`),
    ),
  ),
]
