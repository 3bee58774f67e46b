/** The prefix `__Host-` makes browsers take it from this host only, over HTTPS, for every path. */
const COOKIE = '__Host-plumbline'

const SECRET = /^[\w-]{43}$/

/** The secret of the session cookie in a `Cookie` header; undefined without one. */
export function readSessionCookie(header: string | undefined): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const equals = part.indexOf('=')
    if (equals < 0 || part.slice(0, equals).trim() !== COOKIE) continue
    const secret = part.slice(equals + 1).trim()
    if (SECRET.test(secret)) return secret
  }
  return undefined
}

const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict'

/** The `Set-Cookie` header of a session that ends after some seconds at the latest. */
export const formatSessionCookie = (secret: string, seconds: number): string =>
  `${COOKIE}=${secret}; ${ATTRIBUTES}; Max-Age=${Math.floor(seconds)}`

/** The `Set-Cookie` header that removes the cookie. */
export const REMOVED_COOKIE = `${COOKIE}=; ${ATTRIBUTES}; Max-Age=0`
