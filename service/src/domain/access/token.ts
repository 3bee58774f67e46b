/** The token of a request, in lower case. */
type TokenReading =
  { kind: 'none' } | { kind: 'malformed' } | { kind: 'conflict' } | { kind: 'token'; token: string }

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a text is a UUID of any version, in either case. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}

/**
 * Finds the token of a request in its query parameter `token` (a text, or an array when repeated)
 * and its `Authorization` header: `Bearer <uuid>` or the UUID alone.
 *
 * An empty token and a `Basic` header are ignored. `conflict` means that two different tokens were
 * sent, `malformed` that a sent text is not a UUID.
 */
export function readToken(query: unknown, authorization: string | undefined): TokenReading {
  const sent = new Set<string>()
  for (const one of Array.isArray(query) ? query : [query]) {
    if (one === undefined || one === null) continue
    if (typeof one !== 'string') return { kind: 'malformed' }
    sent.add(one.trim().toLowerCase())
  }
  sent.add(readAuthorization(authorization ?? ''))
  sent.delete('')

  for (const token of sent) if (!isUuid(token)) return { kind: 'malformed' }
  if (sent.size > 1) return { kind: 'conflict' }
  for (const token of sent) return { kind: 'token', token }
  return { kind: 'none' }
}

function readAuthorization(header: string): string {
  const trimmed = header.trim().toLowerCase()
  if (/^basic(\s|$)/.test(trimmed)) return ''
  return trimmed.replace(/^bearer(\s+|$)/, '')
}
