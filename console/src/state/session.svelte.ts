import type { Session as SessionData } from '@plumbline/client'
import { client, isUnauthenticated } from './api.ts'

type State = 'unknown' | 'signedOut' | 'signedIn'
const ORDER = ['read', 'operate', 'admin'] as const
export type Scope = (typeof ORDER)[number]

/** Who is signed in, and what they may do. */
class Session {
  #state = $state<State>('unknown')
  #current = $state.raw<SessionData | undefined>()
  #error = $state.raw<unknown>()
  #hasEnded = $state(false)

  get state(): State {
    return this.#state
  }

  get current(): SessionData | undefined {
    return this.#current
  }

  /** Why it is unknown whether somebody is signed in. */
  get error(): unknown {
    return this.#error
  }

  /** Whether a session ended while it was used: the page stays below the sign-in. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** The user whose alarms are listed; undefined for an administrator without one. */
  get userId(): number | undefined {
    return this.#current?.userId ?? undefined
  }

  /** Whether the role may call operations of this scope. */
  may(scope: Scope): boolean {
    return this.#current !== undefined && ORDER.indexOf(this.#current.scope) >= ORDER.indexOf(scope)
  }

  /** Asks the service who is signed in. */
  async open(): Promise<void> {
    try {
      this.begin(await client.getSession())
    } catch (error) {
      if (!isUnauthenticated(error)) this.#error = error
      else this.#state = 'signedOut'
    }
  }

  begin(session: SessionData): void {
    // Somebody else must not see what the one before them loaded.
    if (this.#hasEnded && this.#current?.account.id !== session.account.id) location.reload()
    this.#current = session
    this.#error = undefined
    this.#hasEnded = false
    this.#state = 'signedIn'
  }

  ended(): void {
    this.#hasEnded ||= this.#state === 'signedIn'
    this.#state = 'signedOut'
  }

  async signOut(): Promise<void> {
    await client.signOut()
    location.hash = '#/'
    location.reload()
  }
}

export const session = new Session()
