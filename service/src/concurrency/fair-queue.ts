import { RefusedError } from '../errors/refused-error.ts'
import { SerialQueue } from './serial-queue.ts'

/** When it is worth asking again. */
const RETRY_SECONDS = 5

/** Who asks, and for what: two pieces of work with the same key are one. */
export type Asked<User> = { user: User; key: string; signal?: AbortSignal | undefined }

type Work<Result> = (signal: AbortSignal) => Promise<Result>

type Job<User> = {
  key: string
  work: Work<unknown>
  /** Aborted when the last of its clients has gone. */
  left: AbortController
  clients: Set<Client<User>>
}

type Client<User> = { user: User; settled: PromiseWithResolvers<unknown> }

/**
 * Does work of many users, one piece at a time, which they take in turns.
 *
 * Each user's own is done in the order in which it was asked for. What is asked for again while it
 * waits or is done is done once, in the turn of whichever of its users comes first.
 */
export class FairQueue<User> {
  readonly #name: string
  readonly #waitingMaximum: number
  /** Work that somebody waits for, under way or not. */
  readonly #jobs = new Map<string, Job<User>>()
  /** What has not begun, of each user; the users in the order of their turns. */
  readonly #lines = new Map<User, Set<Job<User>>>()
  readonly #turns = new SerialQueue()

  /** `name` is what the pieces of work are called, many of them. */
  constructor({ name, waitingMaximum }: { name: string; waitingMaximum: number }) {
    this.#name = name
    this.#waitingMaximum = waitingMaximum
  }

  /**
   * The result of the work, which is the same value for all that share it.
   *
   * When the signal is aborted it fails with its reason; the work itself is aborted, or never
   * begun, when that is so for all of them.
   */
  async ask<Result>({ user, key, signal }: Asked<User>, work: Work<Result>): Promise<Result> {
    signal?.throwIfAborted()
    const job = this.#join(user, key, work)
    const client: Client<User> = { user, settled: Promise.withResolvers() }
    job.clients.add(client)
    const isNew = job.clients.size === 1
    const leave = (): void => this.#leave(job, client, signal!.reason as Error)
    signal?.addEventListener('abort', leave)
    if (isNew) void this.#turns.run(() => this.#doNext())
    try {
      return (await client.settled.promise) as Result
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  #join(user: User, key: string, work: Work<unknown>): Job<User> {
    const known = this.#jobs.get(key)
    if (known !== undefined && !this.#isWaiting(known)) return known
    const line = this.#lines.get(user) ?? new Set()
    if (known !== undefined && line.has(known)) return known
    if (line.size >= this.#waitingMaximum)
      throw new RefusedError(
        'unavailable',
        `the user has ${line.size} ${this.#name} that wait, at most ${this.#waitingMaximum} may: ask again when one is done`,
        { retryAfterSeconds: RETRY_SECONDS },
      )
    const job = known ?? { key, work, left: new AbortController(), clients: new Set() }
    this.#jobs.set(key, job)
    this.#lines.set(user, line.add(job))
    return job
  }

  #isWaiting(job: Job<User>): boolean {
    for (const { user } of job.clients) if (this.#lines.get(user)?.has(job) === true) return true
    return false
  }

  #leave(job: Job<User>, client: Client<User>, reason: Error): void {
    if (!job.clients.delete(client)) return
    client.settled.reject(reason)
    const isShared = [...job.clients].some(({ user }) => user === client.user)
    if (!isShared) this.#takeFromLine(client.user, job)
    if (job.clients.size > 0) return
    if (this.#jobs.get(job.key) === job) this.#jobs.delete(job.key)
    job.left.abort(reason)
  }

  /** Does what is next; its user goes behind all others. */
  async #doNext(): Promise<void> {
    for (const [user, [job]] of this.#lines) {
      if (job !== undefined) await this.#do(job)
      const rest = this.#lines.get(user)
      this.#lines.delete(user)
      if (rest !== undefined) this.#lines.set(user, rest)
      return
    }
  }

  async #do(job: Job<User>): Promise<void> {
    for (const { user } of job.clients) this.#takeFromLine(user, job)
    let settle: (client: Client<User>) => void
    try {
      const result = await job.work(job.left.signal)
      settle = ({ settled }) => settled.resolve(result)
    } catch (error) {
      settle = ({ settled }) => settled.reject(error)
    }
    if (this.#jobs.get(job.key) === job) this.#jobs.delete(job.key)
    job.clients.forEach(settle)
    job.clients.clear()
  }

  #takeFromLine(user: User, job: Job<User>): void {
    const line = this.#lines.get(user)
    line?.delete(job)
    if (line?.size === 0) this.#lines.delete(user)
  }
}
