import type { AlarmEvent, NewestEvent, ServerEvent } from '@plumbline/client'
import { client, isAborted, isUnauthenticated } from './api.ts'
import { connection } from './connection.svelte.ts'
import { session } from './session.svelte.ts'

type Handlers = {
  onalarm(event: AlarmEvent): void
  onnewest(event: NewestEvent): void
  /** Events were lost, or may have been: read the state again. */
  onreset(): void
}

const LONGEST_WAIT_SECONDS = 30
/** A computer that slept this long may have lost its connection without a word. */
const SLEEP_MILLISECONDS = 60_000

/** Follows the events of the service from the last one that was received, whatever happens to the connection. */
export class Live {
  #state = $state<'connecting' | 'on' | 'lost'>('connecting')
  #lastId: string | undefined
  #attempts = 0
  #abort = new AbortController()
  readonly #handlers: Handlers

  constructor(handlers: Handlers) {
    this.#handlers = handlers
  }

  get state(): 'connecting' | 'on' | 'lost' {
    return this.#state
  }

  /** Follows until the function that it returns is called. */
  follow(): () => void {
    const ended = new AbortController()
    let hiddenAt = 0
    document.addEventListener(
      'visibilitychange',
      () => {
        if (document.hidden) hiddenAt = Date.now()
        else if (hiddenAt > 0 && Date.now() - hiddenAt > SLEEP_MILLISECONDS) this.reconnect()
      },
      { signal: ended.signal },
    )
    void this.#run(ended.signal)
    return () => {
      ended.abort()
      this.#abort.abort()
    }
  }

  /** Ends the connection, and follows by another one from where this one stopped. */
  reconnect(): void {
    this.#attempts = 0
    this.#abort.abort()
  }

  async #run(ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      this.#abort = new AbortController()
      try {
        await this.#read(this.#abort.signal)
      } catch (error) {
        if (ended.aborted) return
        if (isUnauthenticated(error)) return session.ended()
        if (!isAborted(error)) this.#state = 'lost'
      }
      if (ended.aborted) return
      this.#state = 'lost'
      await connection.untilFound()
      await this.#wait()
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const lastEventId = this.#lastId
    const events = await client.streamEvents(lastEventId === undefined ? {} : { lastEventId }, {
      signal,
    })
    // Between the first reading of the state and the first connection something may have happened.
    if (lastEventId === undefined && this.#state === 'lost') this.#handlers.onreset()
    this.#state = 'on'
    this.#attempts = 0
    for await (const event of events) this.#take(event)
  }

  #take(event: ServerEvent): void {
    if ('id' in event) this.#lastId = event.id
    if (event.type === 'alarm') this.#handlers.onalarm(event)
    else if (event.type === 'newest') this.#handlers.onnewest(event)
    else this.#handlers.onreset()
  }

  #wait(): Promise<void> {
    const seconds = Math.min(2 ** this.#attempts, LONGEST_WAIT_SECONDS)
    this.#attempts += 1
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, seconds * 1000)
      this.#abort.signal.addEventListener('abort', () => (clearTimeout(timer), resolve()))
    })
  }
}
