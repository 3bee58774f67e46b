import type { TokenResponse } from '@plumbline/contract'

/** A token that expires within this time is replaced. */
const MARGIN_MILLISECONDS = 60_000

/** Holds the token of a client: issues one at the first call, near its expiry and when it was refused. */
export class Session {
  readonly #issue: () => Promise<TokenResponse>
  #pending: Promise<TokenResponse> | undefined
  #current: TokenResponse | undefined

  constructor(issue: () => Promise<TokenResponse>) {
    this.#issue = issue
  }

  async token(signal: AbortSignal | undefined): Promise<string> {
    signal?.throwIfAborted()
    if (this.#current && isFresh(this.#current)) return this.#current.token
    // Simultaneous calls share one request for a token, which the signal of one call must not abort.
    this.#pending ??= this.#renew()
    const { token } = await untilAborted(this.#pending, signal)
    return token
  }

  /** Drops a token that the service refused, unless it was replaced already. */
  forget(token: string): void {
    if (this.#current?.token === token) this.#current = undefined
  }

  async #renew(): Promise<TokenResponse> {
    try {
      this.#current = await this.#issue()
      return this.#current
    } finally {
      this.#pending = undefined
    }
  }
}

function isFresh({ expires_in }: TokenResponse): boolean {
  return Date.parse(expires_in) - Date.now() > MARGIN_MILLISECONDS
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
