/** A connection or request that a secret has opened. `Found` is the result of looking the secret up. */
export type SecretSession<Found> = {
  /** Looks the secret up, once for all its sessions. After an error the sessions stay open. */
  lookUp(): Promise<Found>
  /** Returns why the session must end; undefined if it may continue. */
  whyEnd(found: Found): string | undefined
  /** Called at most once. */
  end(why: string): void
}

type OpenSession = { since: number; session: SecretSession<unknown> }

const POLL_MILLISECONDS = 400

/** Sessions shorter than this are not checked. */
const YOUNG_MILLISECONDS = 400

/**
 * Ends sessions within a second after their secret was revoked or lost its access, by any process.
 * Each secret with open sessions is looked up periodically, once for all its sessions.
 */
export class RevocationWatch implements Disposable {
  readonly #groups = new Map<string, Set<OpenSession>>()
  readonly #timer: NodeJS.Timeout
  #isPolling = false

  constructor() {
    this.#timer = setInterval(() => void this.#poll(), POLL_MILLISECONDS).unref()
  }

  /** Checks a session until the returned function is called. */
  open<Found>(secretHash: Uint8Array, session: SecretSession<Found>): () => void {
    const name = Buffer.from(secretHash).toString('latin1')
    const opened: OpenSession = { since: performance.now(), session }
    const group = this.#groups.getOrInsertComputed(name, () => new Set())
    group.add(opened)
    return () => this.#close(name, group, opened)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return
    this.#isPolling = true
    try {
      for (const [name, group] of this.#groups) await this.#check(name, group)
    } finally {
      this.#isPolling = false
    }
  }

  async #check(name: string, group: Set<OpenSession>): Promise<void> {
    const until = performance.now() - YOUNG_MILLISECONDS
    const [oldest] = group
    if (oldest === undefined || oldest.since > until) return
    let found: unknown
    try {
      found = await oldest.session.lookUp()
    } catch {
      return
    }
    for (const opened of group) {
      const why = opened.session.whyEnd(found)
      if (why === undefined) continue
      this.#close(name, group, opened)
      opened.session.end(why)
    }
  }

  #close(name: string, group: Set<OpenSession>, opened: OpenSession): void {
    if (group.delete(opened) && group.size === 0 && this.#groups.get(name) === group)
      this.#groups.delete(name)
  }
}
