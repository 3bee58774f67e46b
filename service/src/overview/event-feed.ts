import type { Logger } from 'pino'
import { startJob } from '../background/job.ts'
import { WakeUp } from '../background/wake-up.ts'
import type { Storage, StoredEvent } from '../storage/storage.ts'
import type { NewestChange, NewestChanges } from './newest-changes.ts'

export type FeedEvent =
  | { type: 'alarm'; id: string; event: StoredEvent }
  | { type: 'newest'; change: NewestChange }
  | { type: 'reset' | 'start'; id: string }
  | { type: 'idle' }

type EventFeedOptions = {
  storage: Pick<Storage, 'events' | 'outbox'>
  newest: NewestChanges
  log: Logger
  /** How often events are looked for while somebody follows. */
  pollMilliseconds?: number | undefined
}

type Follower = {
  /** Newer records by structure that the follower has not taken. */
  newer: Map<number, Set<number>>
  wakeUp: WakeUp
}

const POLL_MILLISECONDS = 500
const NEWEST_MILLISECONDS = 1000
/** Looking for newer records takes at most this share of the time. */
const NEWEST_SHARE = 1 / 20
const EVENTS_AT_ONCE = 100
const IDLE_MILLISECONDS = 15_000

/**
 * What happens, for any number of followers of this process. Transitions come from the storage, and so
 * from every instance; a follower that reads slowly only falls behind.
 */
export class EventFeed implements AsyncDisposable {
  readonly #options: EventFeedOptions
  readonly #followers = new Set<Follower>()
  readonly #closed = new AbortController()
  readonly #job: AsyncDisposable
  #last = 0
  #newestDueAt = 0

  constructor(options: EventFeedOptions) {
    const { log, pollMilliseconds = POLL_MILLISECONDS } = options
    this.#options = options
    this.#job = startJob({
      name: 'Looking for events',
      log,
      everyMilliseconds: pollMilliseconds,
      run: () => this.#poll(),
    })
  }

  /**
   * Yields what happens from now on, or since the event with an id, until the signal is aborted.
   *
   * A `reset` stands in place of events that are no longer kept, and of those of data that a restore has
   * replaced. An `idle` comes when nothing else has come for 15 seconds.
   */
  async *follow(since: string | undefined, outer: AbortSignal): AsyncGenerator<FeedEvent> {
    const signal = AbortSignal.any([outer, this.#closed.signal])
    const follower: Follower = { newer: new Map(), wakeUp: new WakeUp() }
    const onAbort = () => follower.wakeUp.signal()
    signal.addEventListener('abort', onAbort)
    this.#followers.add(follower)
    try {
      const { events } = this.#options.storage
      const restoredAt = (await this.#options.storage.outbox.findRestoredAt()) ?? 0
      const nameOf = (id: number): string => (restoredAt === 0 ? `${id}` : `${id}-${restoredAt}`)
      const { first, last } = await events.bounds()
      const resumed = readId(since, restoredAt)
      const isKept = resumed !== undefined && resumed >= first - 1 && resumed <= last
      let position = isKept ? resumed : last
      // Before the client reads the state, so that no newer record is missed in between.
      await this.#options.newest.begin()
      yield { type: since === undefined || isKept ? 'start' : 'reset', id: nameOf(position) }
      while (!signal.aborted) {
        const found = await events.list(position, EVENTS_AT_ONCE)
        for (const event of found.events) yield { type: 'alarm', id: nameOf(event.id), event }
        position = found.last
        const newer = Array.from(follower.newer)
        follower.newer.clear()
        for (const [structure, stations] of newer)
          yield { type: 'newest', change: { structure, stations: [...stations] } }
        if (found.events.length + newer.length > 0) continue
        const begin = performance.now()
        await follower.wakeUp.wait(IDLE_MILLISECONDS)
        const isIdle = performance.now() - begin >= IDLE_MILLISECONDS
        if (isIdle && !signal.aborted) yield { type: 'idle' }
      }
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.#followers.delete(follower)
      if (this.#followers.size === 0) this.#options.newest.forget()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
    await this.#job[Symbol.asyncDispose]()
  }

  async #poll(): Promise<void> {
    if (this.#followers.size === 0) return
    const { last } = await this.#options.storage.events.bounds()
    if (last > this.#last) this.#wake()
    this.#last = last
    const begin = performance.now()
    if (begin < this.#newestDueAt) return
    for (const { structure, stations } of await this.#options.newest.find()) {
      for (const { newer } of this.#followers) {
        const waiting = newer.getOrInsertComputed(structure, () => new Set())
        for (const station of stations) waiting.add(station)
      }
      this.#wake()
    }
    const took = performance.now() - begin
    this.#newestDueAt = begin + Math.max(NEWEST_MILLISECONDS, took / NEWEST_SHARE)
  }

  #wake(): void {
    for (const { wakeUp } of this.#followers) wakeUp.signal()
  }
}

/** The number of an id of these data; undefined for any other text. */
function readId(text: string | undefined, restoredAt: number): number | undefined {
  const [, id = '', restored = '0'] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(text ?? '') ?? []
  return id === '' || Number(restored) !== restoredAt ? undefined : Number(id)
}
