import { PlumblineError } from './plumbline-error.ts'
import type { CallOptions } from './endpoint.ts'
import type { Request } from './request.ts'

export type Fetch = typeof globalThis.fetch

export type Send = (
  request: Request,
  authorization: string,
  options: CallOptions,
) => Promise<unknown>

/** Sends requests below a base address and turns every answer but a success into an error. */
export function createSend(baseUrl: string, fetch: Fetch = globalThis.fetch): Send {
  const base = baseUrl.replace(/\/+$/, '')

  return async ({ method, path, body, contentType }, authorization, { signal }) => {
    // Called as a bare function: a browser's fetch refuses any `this` but the window.
    const response = await fetch(base + path, {
      method,
      headers: { authorization, ...(contentType && { 'content-type': contentType }) },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
    const text = await response.text()
    if (!response.ok) throw errorOf(response, text)
    if (response.status === 204) return undefined
    return parsed(response.status, text)
  }
}

function parsed(status: number, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const message = 'The answer is not JSON. Is the base address that of the interface?'
    throw new PlumblineError({ status, name: 'UnreadableAnswer', message })
  }
}

function errorOf({ status, statusText, headers }: Response, text: string): PlumblineError {
  const seconds = Number.parseInt(headers.get('retry-after') ?? '', 10)
  const retryAfterSeconds = Number.isNaN(seconds) ? undefined : seconds
  // A proxy in between answers in its own words.
  const fallback = { name: 'HttpError', message: statusText || `status ${status}` }
  return new PlumblineError({ status, ...(failureIn(text) ?? fallback) }, retryAfterSeconds)
}

function failureIn(text: string): { name: string; message: string } | undefined {
  try {
    const { name, message } = JSON.parse(text)
    if (typeof name === 'string' && typeof message === 'string') return { name, message }
  } catch {}
  return undefined
}
