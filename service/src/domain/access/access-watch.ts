/** Something that was opened with a secret. `Found` is what is known of the secret by now. */
export type Watched<Found> = {
  /** Looks the secret up, once for all that it opened; an error leaves this as it is. */
  look(): Promise<Found>
  /** Why it must end by what was found; undefined while it may go on. */
  whyEnd(found: Found): string | undefined
  /** Called at most once. */
  end(why: string): void
}

type Opened = { since: number; watched: Watched<unknown> }

const POLL_MILLISECONDS = 400

/** What is over sooner is not worth a look. */
const YOUNG_MILLISECONDS = 400

/**
 * Ends what was opened with a secret within a second after the secret was made invalid, or covers it
 * no more, by whatever process: each secret that has something open is looked up again and again,
 * once for all it opened.
 */
export class AccessWatch implements Disposable {
  readonly #groups = new Map<string, Set<Opened>>()
  readonly #timer: NodeJS.Timeout
  #isPolling = false

  constructor() {
    this.#timer = setInterval(() => void this.#poll(), POLL_MILLISECONDS).unref()
  }

  /** Watches until the returned function is called. */
  open<Found>(secretHash: Uint8Array, watched: Watched<Found>): () => void {
    const name = Buffer.from(secretHash).toString('latin1')
    const opened: Opened = { since: performance.now(), watched: watched as Watched<unknown> }
    const group = this.#groups.get(name) ?? new Set()
    group.add(opened)
    this.#groups.set(name, group)
    return () => this.#close(name, group, opened)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return
    this.#isPolling = true
    try {
      for (const [name, group] of this.#groups) await this.#look(name, group)
    } finally {
      this.#isPolling = false
    }
  }

  async #look(name: string, group: Set<Opened>): Promise<void> {
    const until = performance.now() - YOUNG_MILLISECONDS
    const [oldest] = group
    if (oldest === undefined || oldest.since > until) return
    let found: unknown
    try {
      found = await oldest.watched.look()
    } catch {
      return
    }
    for (const opened of group) {
      const why = opened.watched.whyEnd(found)
      if (why === undefined) continue
      this.#close(name, group, opened)
      opened.watched.end(why)
    }
  }

  #close(name: string, group: Set<Opened>, opened: Opened): void {
    if (group.delete(opened) && group.size === 0 && this.#groups.get(name) === group)
      this.#groups.delete(name)
  }
}
