import { createHash } from 'node:crypto'
import type { Credentials } from '../parse-source.ts'
import type { Challenge } from './challenges.ts'

const HASHES: ReadonlyMap<string, string> = new Map([
  ['md5', 'md5'],
  ['sha-256', 'sha256'],
])

/** A digest challenge (RFC 7616) whose algorithm and protection the service knows. */
export type DigestChallenge = Readonly<{
  realm: string
  nonce: string
  opaque: string | undefined
  /** As the server wrote it; undefined: MD5. */
  algorithm: string | undefined
  hasQop: boolean
  isStale: boolean
}>

/** One request to be authorized. */
export type DigestRequest = Readonly<{
  method: string
  uri: string
  /** How often the nonce was used, with this request. */
  count: number
  /** A random text of the client. */
  clientNonce: string
}>

/** Reads a digest challenge; undefined for another scheme, algorithm or protection. */
export function readDigest({ scheme, parameters }: Challenge): DigestChallenge | undefined {
  const nonce = parameters.get('nonce')
  const algorithm = parameters.get('algorithm')
  const qop = parameters.get('qop')
  const isKnown =
    HASHES.has(hashName(algorithm)) &&
    (qop === undefined || /(^|[\s,])auth([\s,]|$)/i.test(qop.trim()))
  if (scheme !== 'digest' || nonce === undefined || !isKnown) return undefined
  return {
    realm: parameters.get('realm') ?? '',
    nonce,
    opaque: parameters.get('opaque'),
    algorithm,
    hasQop: qop !== undefined,
    isStale: parameters.get('stale')?.toLowerCase() === 'true',
  }
}

/** Writes the value of `Authorization`. */
export function writeDigest(
  challenge: DigestChallenge,
  credentials: Credentials,
  { method, uri, count, clientNonce }: DigestRequest,
): string {
  const { realm, nonce, opaque, algorithm, hasQop } = challenge
  const { user, password } = credentials
  const hash = (text: string) =>
    createHash(HASHES.get(hashName(algorithm)) ?? 'md5')
      .update(text, 'latin1')
      .digest('hex')
  const plain = hash(`${asBytes(user)}:${realm}:${asBytes(password)}`)
  const secret = isSession(algorithm) ? hash(`${plain}:${nonce}:${clientNonce}`) : plain
  const uses = count.toString(16).padStart(8, '0')
  const protection = hasQop ? `${nonce}:${uses}:${clientNonce}:auth` : nonce
  const response = hash(`${secret}:${protection}:${hash(`${method}:${uri}`)}`)
  return [
    `Digest username=${quote(asBytes(user))}`,
    `realm=${quote(realm)}`,
    `nonce=${quote(nonce)}`,
    `uri=${quote(uri)}`,
    `response="${response}"`,
    ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    ...(opaque === undefined ? [] : [`opaque=${quote(opaque)}`]),
    ...(hasQop ? ['qop=auth', `nc=${uses}`] : []),
    ...(hasQop || isSession(algorithm) ? [`cnonce="${clientNonce}"`] : []),
  ].join(', ')
}

/** A text as the bytes of its UTF-8, one character each: headers are written as bytes. */
const asBytes = (text: string): string => Buffer.from(text).toString('latin1')

const hashName = (algorithm = 'MD5'): string => algorithm.toLowerCase().replace(/-sess$/, '')

const isSession = (algorithm = ''): boolean => /-sess$/i.test(algorithm)

const quote = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
