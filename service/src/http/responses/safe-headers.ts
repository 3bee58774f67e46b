import type { ResponseHeaders } from './content-headers.ts'

/** Headers for browsers and caches. */
const HEADERS: ResponseHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** The security headers of every response; `hstsSeconds` 0 leaves Strict-Transport-Security out. */
export const safeHeaders = (hstsSeconds: number): ResponseHeaders =>
  hstsSeconds === 0
    ? HEADERS
    : { ...HEADERS, 'strict-transport-security': `max-age=${hstsSeconds}` }
