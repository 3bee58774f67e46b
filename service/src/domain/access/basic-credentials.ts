type BasicCredentials = { id: string; secret: string }

const SCHEME = /^\s*basic\s/i
// Both alphabets: Node decodes either as `base64`.
const ENCODED = /^[a-z0-9+/_-]+=*$/i

/**
 * Parses the application id and secret of a `Basic` authorization header (RFC 7617); undefined for
 * other headers. Never throws.
 *
 * Accepts both alphabets of base64, padded or not. Each part is percent-decoded (interface
 * "Authentication": RFC 1738) if possible, because some clients do not encode.
 */
export function parseBasicCredentials(header: string | undefined): BasicCredentials | undefined {
  if (header === undefined || !SCHEME.test(header)) return undefined
  const encoded = header.trim().slice('basic'.length).replaceAll(/\s+/g, '')
  if (!ENCODED.test(encoded)) return undefined
  const pair = Buffer.from(encoded, 'base64').toString()
  const colon = pair.indexOf(':')
  if (colon < 0) return undefined
  return { id: decodePart(pair.slice(0, colon)), secret: decodePart(pair.slice(colon + 1)) }
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
