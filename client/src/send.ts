import type { Credentials, Fetch } from './options.ts'
import type { Request } from './request.ts'
import { toNetworkError } from './network-error.ts'
import { PlumblineError } from './plumbline-error.ts'
import { readEvents } from './read-events.ts'

export type Sent = {
  request: Request
  /** The whole address. */
  url: string
  authorization: string | undefined
  credentials: Credentials | undefined
  signal: AbortSignal | undefined
}

/** Sends a request; rejects with a `PlumblineError`, or with the reason of an aborted signal. */
export async function send(fetch: Fetch, sent: Sent): Promise<unknown> {
  const { response, body } = await receive(fetch, sent)
  if (typeof body !== 'string') return body
  if (!response.ok) throw toError(response, body)
  if (response.status === 204) return undefined
  return isText(response) ? body : parse(response.status, body)
}

async function receive(fetch: Fetch, { request, url, authorization, credentials, signal }: Sent) {
  const { method, body, contentType } = request
  try {
    // Called without `this`, since fetch of browsers requires the window.
    const response = await fetch(url, {
      method,
      headers: {
        ...(authorization !== undefined && { authorization }),
        ...(contentType !== undefined && { 'content-type': contentType }),
      },
      ...(body !== undefined && { body }),
      ...(credentials !== undefined && { credentials }),
      ...(signal && { signal }),
    })
    if (response.ok && response.body !== null && isEventStream(response))
      return { response, body: readEvents(url, response.body, signal) }
    return response.ok && isPicture(response)
      ? { response, body: new Uint8Array(await response.arrayBuffer()) }
      : { response, body: await response.text() }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    throw toNetworkError(url, error)
  }
}

const typeOf = ({ headers }: Response): string => headers.get('content-type') ?? ''

const isPicture = (response: Response): boolean => typeOf(response).startsWith('image/')

const isEventStream = (response: Response): boolean =>
  typeOf(response).startsWith('text/event-stream')

const isText = (response: Response): boolean => typeOf(response).startsWith('text/csv')

function parse(status: number, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new PlumblineError({
      status,
      name: 'UnreadableResponse',
      kind: 'unreadable',
      message: 'The response is not JSON. Check that the base address is that of the service.',
    })
  }
}

function toError({ status, statusText, headers }: Response, text: string): PlumblineError {
  // A proxy may send an error response of another form.
  const fallback = { name: 'HttpError', message: statusText || `status ${status}` }
  const retryAfterSeconds = readRetryAfter(headers.get('retry-after'), Date.now())
  return new PlumblineError({ status, ...(readFailure(text) ?? fallback), retryAfterSeconds })
}

/** Seconds of `Retry-After`, which is a number of them or, from a proxy, a date. */
export function readRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined
  if (/^\d+$/.test(text.trim())) return Number(text)
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}

function readFailure(text: string): { name: string; message: string } | undefined {
  try {
    const { name, message } = JSON.parse(text)
    if (typeof name === 'string' && typeof message === 'string') return { name, message }
  } catch {}
  return undefined
}
