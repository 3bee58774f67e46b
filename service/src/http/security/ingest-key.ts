import type { FastifyRequest } from 'fastify'

/** Where InfluxDB's own clients put a password: the query parameter `p`. */
const LINE_PROTOCOL_URL = '/ingest/v1/influx'

/**
 * The ingest key that a request carries: `Bearer KEY`; as Telegraf and other clients of InfluxDB
 * send it, `Token KEY`, `Token NAME:KEY`, or as the password of a name that is no matter.
 */
export function readIngestKey({
  headers,
  query,
  routeOptions,
}: FastifyRequest): string | undefined {
  const [, scheme = '', value = ''] =
    /^(Bearer|Token|Basic) +(\S+)$/i.exec(headers.authorization ?? '') ?? []
  if (scheme.toLowerCase() === 'bearer') return value
  if (scheme.toLowerCase() === 'token') return value.slice(value.indexOf(':') + 1)
  if (scheme.toLowerCase() === 'basic') {
    const pair = Buffer.from(value, 'base64').toString()
    return pair.includes(':') ? pair.slice(pair.indexOf(':') + 1) : undefined
  }
  const { p } = (query ?? {}) as { p?: unknown }
  return routeOptions.url === LINE_PROTOCOL_URL && typeof p === 'string' ? p : undefined
}
