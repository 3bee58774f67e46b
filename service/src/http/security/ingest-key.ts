import type { FastifyRequest } from 'fastify'
import { memberOf } from '../requests/member-of.ts'

/** The path at which clients of InfluxDB 1 send the key as the query parameter `p`. */
const LINE_PROTOCOL_URL = '/ingest/v1/influx'

/**
 * The ingest key that a request carries: `Bearer KEY`, or as clients of InfluxDB send it `Token KEY`,
 * `Token NAME:KEY` or the password of Basic credentials, whose name is ignored.
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
  if (routeOptions.url !== LINE_PROTOCOL_URL) return undefined
  const password = memberOf(query, 'p')
  return typeof password === 'string' ? password : undefined
}
