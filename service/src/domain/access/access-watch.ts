/** Whether a secret is still valid; an error leaves what it opened as it is. */
export type IsValid = () => Promise<boolean>

type Opened = { since: number; end: () => void }
type Group = { isValid: IsValid; opened: Set<Opened> }

const POLL_MILLISECONDS = 400

/** What is over sooner is not worth a look. */
const YOUNG_MILLISECONDS = 400

/**
 * Ends what was opened with a secret within a second after the secret was made invalid, by whatever
 * process: each secret that has something open is looked up again and again, once for all it opened.
 */
export class AccessWatch implements Disposable {
  readonly #groups = new Map<string, Group>()
  readonly #timer: NodeJS.Timeout
  #isPolling = false

  constructor() {
    this.#timer = setInterval(() => void this.#poll(), POLL_MILLISECONDS).unref()
  }

  /** Watches until the returned function is called; `end` is called at most once. */
  open(secretHash: Uint8Array, isValid: IsValid, end: () => void): () => void {
    const name = Buffer.from(secretHash).toString('latin1')
    const opened: Opened = { since: performance.now(), end }
    const group = this.#groups.get(name) ?? { isValid, opened: new Set() }
    group.opened.add(opened)
    this.#groups.set(name, group)
    return () => {
      if (group.opened.delete(opened) && group.opened.size === 0) this.#remove(name, group)
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return
    this.#isPolling = true
    const until = performance.now() - YOUNG_MILLISECONDS
    for (const [name, group] of this.#groups) {
      const [oldest] = group.opened
      if (oldest === undefined || oldest.since > until) continue
      if (await group.isValid().catch(() => true)) continue
      this.#remove(name, group)
      for (const { end } of group.opened) end()
      group.opened.clear()
    }
    this.#isPolling = false
  }

  #remove(name: string, group: Group): void {
    if (this.#groups.get(name) === group) this.#groups.delete(name)
  }
}
