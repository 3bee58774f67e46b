import { PlumblineError } from './plumbline-error.ts'
import type { CallOptions } from './endpoint.ts'
import type { Request } from './request.ts'

export type Fetch = typeof globalThis.fetch

export type Send = (
  request: Request,
  authorization: string,
  options: CallOptions,
) => Promise<unknown>

/** Sends requests relative to a base address; rejects with a `PlumblineError` for error responses. */
export function createSend(baseUrl: string, fetch: Fetch = globalThis.fetch): Send {
  const base = baseUrl.replace(/\/+$/, '')

  return async ({ method, path, body, contentType }, authorization, { signal }) => {
    // Called without `this`, since fetch of browsers requires the window.
    const response = await fetch(base + path, {
      method,
      headers: { authorization, ...(contentType && { 'content-type': contentType }) },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
    if (response.ok && isPicture(response)) return new Uint8Array(await response.arrayBuffer())
    const text = await response.text()
    if (!response.ok) throw toError(response, text)
    if (response.status === 204) return undefined
    return parse(response.status, text)
  }
}

const isPicture = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('image/') === true

function parse(status: number, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const message =
      'The response is not JSON. Check that the base address is that of the interface.'
    throw new PlumblineError({ status, name: 'UnreadableResponse', message })
  }
}

function toError({ status, statusText, headers }: Response, text: string): PlumblineError {
  const seconds = Number.parseInt(headers.get('retry-after') ?? '', 10)
  const retryAfterSeconds = Number.isNaN(seconds) ? undefined : seconds
  // A proxy may send an error response of another form.
  const fallback = { name: 'HttpError', message: statusText || `status ${status}` }
  return new PlumblineError({ status, ...(readFailure(text) ?? fallback) }, retryAfterSeconds)
}

function readFailure(text: string): { name: string; message: string } | undefined {
  try {
    const { name, message } = JSON.parse(text)
    if (typeof name === 'string' && typeof message === 'string') return { name, message }
  } catch {}
  return undefined
}
