import type { ResponseHeaders } from './content-headers.ts'

/** What every response says to browsers and caches besides its content. */
const HEADERS: ResponseHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** The headers of every response; with `hstsSeconds` 0 browsers may use HTTP. */
export const safeHeaders = (hstsSeconds: number): ResponseHeaders =>
  hstsSeconds === 0
    ? HEADERS
    : { ...HEADERS, 'strict-transport-security': `max-age=${hstsSeconds}` }
