import { RefusedError } from '../errors/refused-error.ts'
import { SerialQueue } from './serial-queue.ts'

/** When a refused request may be repeated. */
const RETRY_SECONDS = 5

/** The user of a request, and the key of its work: requests with the same key share one result. */
type QueueRequest<User> = { user: User; key: string; signal?: AbortSignal | undefined }

type Work<Result> = (signal: AbortSignal) => Promise<Result>

type QueuedWork<User> = {
  key: string
  work: Work<unknown>
  /** Aborted when no request waits for the work. */
  abort: AbortController
  requests: Set<WaitingRequest<User>>
}

type WaitingRequest<User> = { user: User; result: PromiseWithResolvers<unknown> }

/**
 * Runs the work of many users, one at a time, each user in turn.
 *
 * The work of one user runs in the order of its requests. Work that is requested again while it waits
 * or runs is done once, in the turn of the first of its users.
 */
export class FairQueue<User> {
  readonly #name: string
  readonly #waitingMaximum: number
  /** All work with requests, running or not, by key. */
  readonly #all = new Map<string, QueuedWork<User>>()
  /** The work of each user that has not begun; the users in the order of their turns. */
  readonly #queues = new Map<User, Set<QueuedWork<User>>>()
  readonly #turns = new SerialQueue()

  /** `name` names the work in sentences, in the plural. */
  constructor({ name, waitingMaximum }: { name: string; waitingMaximum: number }) {
    this.#name = name
    this.#waitingMaximum = waitingMaximum
  }

  /**
   * Runs work; requests with the same key get the same result.
   *
   * When the signal is aborted the request fails with its reason. The work is aborted, or never begun,
   * when all of its requests have failed.
   */
  async run<Result>(
    { user, key, signal }: QueueRequest<User>,
    work: Work<Result>,
  ): Promise<Result> {
    signal?.throwIfAborted()
    const queued = this.#join(user, key, work)
    const request: WaitingRequest<User> = { user, result: Promise.withResolvers() }
    queued.requests.add(request)
    const isNew = queued.requests.size === 1
    const leave = (): void => this.#leave(queued, request, signal?.reason)
    signal?.addEventListener('abort', leave)
    if (isNew) void this.#turns.run(() => this.#runNext())
    try {
      // Requests with the same key have work with the same type of result.
      return (await request.result.promise) as Result
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  #join(user: User, key: string, work: Work<unknown>): QueuedWork<User> {
    const known = this.#all.get(key)
    if (known !== undefined && !this.#isWaiting(known)) return known
    const queue = this.#queues.get(user) ?? new Set()
    if (known !== undefined && queue.has(known)) return known
    if (queue.size >= this.#waitingMaximum)
      throw new RefusedError(
        'unavailable',
        `the user has ${queue.size} waiting ${this.#name}, which is the maximum: try again when one has ended`,
        { retryAfterSeconds: RETRY_SECONDS },
      )
    const queued = known ?? { key, work, abort: new AbortController(), requests: new Set() }
    this.#all.set(key, queued)
    this.#queues.set(user, queue.add(queued))
    return queued
  }

  #isWaiting(queued: QueuedWork<User>): boolean {
    for (const { user } of queued.requests)
      if (this.#queues.get(user)?.has(queued) === true) return true
    return false
  }

  #leave(queued: QueuedWork<User>, request: WaitingRequest<User>, reason: unknown): void {
    if (!queued.requests.delete(request)) return
    request.result.reject(reason)
    const isShared = [...queued.requests].some(({ user }) => user === request.user)
    if (!isShared) this.#dequeue(request.user, queued)
    if (queued.requests.size > 0) return
    this.#forget(queued)
    queued.abort.abort(reason)
  }

  /** Runs the first work of the next user, who then is the last one. */
  async #runNext(): Promise<void> {
    for (const [user, [queued]] of this.#queues) {
      if (queued !== undefined) await this.#runWork(queued)
      const rest = this.#queues.get(user)
      this.#queues.delete(user)
      if (rest !== undefined) this.#queues.set(user, rest)
      return
    }
  }

  async #runWork(queued: QueuedWork<User>): Promise<void> {
    for (const { user } of queued.requests) this.#dequeue(user, queued)
    let settle: (request: WaitingRequest<User>) => void
    try {
      const value = await queued.work(queued.abort.signal)
      settle = ({ result }) => result.resolve(value)
    } catch (error) {
      settle = ({ result }) => result.reject(error)
    }
    this.#forget(queued)
    queued.requests.forEach(settle)
    queued.requests.clear()
  }

  #forget(queued: QueuedWork<User>): void {
    if (this.#all.get(queued.key) === queued) this.#all.delete(queued.key)
  }

  #dequeue(user: User, queued: QueuedWork<User>): void {
    const queue = this.#queues.get(user)
    queue?.delete(queued)
    if (queue?.size === 0) this.#queues.delete(user)
  }
}
