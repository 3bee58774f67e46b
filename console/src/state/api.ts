import { createClient, PlumblineError } from '@plumbline/client'
import { connection } from './connection.svelte.ts'

/** Tells the connection whether a request got a response. */
const watchedFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init)
    if (response.status < 502) connection.found()
    return response
  } catch (error) {
    if (!init?.signal?.aborted) connection.lost()
    throw error
  }
}

/** The client with which every view asks the service; the cookie of the session goes with each request. */
export const client = createClient({
  baseUrl: '',
  credentials: 'same-origin',
  retries: 1,
  fetch: watchedFetch,
})

export const isAborted = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError'

export const isUnauthenticated = (error: unknown): boolean =>
  error instanceof PlumblineError && error.kind === 'unauthenticated'

export const isNetworkError = (error: unknown): boolean =>
  error instanceof PlumblineError && (error.kind === 'network' || error.kind === 'timeout')
