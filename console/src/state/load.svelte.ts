import { isAborted, isNetworkError, isUnauthenticated } from './api.ts'
import { connection } from './connection.svelte.ts'
import { session } from './session.svelte.ts'

/**
 * What a view loads, undefined before it is known. The last value stays while the next one is on its
 * way, so that nothing jumps.
 */
export type Loaded<T> = {
  readonly value: T | undefined
  readonly error: unknown
  readonly isLoading: boolean
  /** Loads again with what the function read last. */
  reload(): void
}

/**
 * Loads whenever something changes that `request` reads before its first `await`, and again when a lost
 * connection is back. Called while a component is made. An older request is aborted.
 */
export function load<T>(request: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  let value = $state.raw<T | undefined>()
  let error = $state.raw<unknown>()
  let isLoading = $state(true)
  let round = $state(0)

  $effect(() => {
    void round
    const abort = new AbortController()
    isLoading = true
    void run(request, abort.signal)
    return () => abort.abort()
  })

  async function run(ask: typeof request, signal: AbortSignal): Promise<void> {
    try {
      const next = await ask(signal)
      if (signal.aborted) return
      value = next
      error = undefined
    } catch (reason) {
      if (signal.aborted || isAborted(reason)) return
      if (isUnauthenticated(reason) && session.state === 'signedIn') return session.ended()
      error = reason
      if (isNetworkError(reason)) {
        await connection.untilFound()
        if (!signal.aborted) round += 1
      }
    }
    if (!signal.aborted) isLoading = false
  }

  return {
    get value() {
      return value
    },
    get error() {
      return error
    },
    get isLoading() {
      return isLoading
    },
    reload() {
      round += 1
    },
  }
}
