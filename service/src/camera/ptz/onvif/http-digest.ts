import { createHash } from 'node:crypto'

/** One challenge of a `WWW-Authenticate` header. */
export type Challenge = Readonly<{ scheme: string; parameters: ReadonlyMap<string, string> }>

/** What an answer to a challenge is for. */
export type DigestRequest = Readonly<{
  user: string
  password: string
  method: string
  path: string
  /** How often the nonce of the challenge was used, this time included. */
  count: number
  cnonce: string
}>

const HASHES: Readonly<Record<string, string>> = { 'SHA-256': 'sha256', MD5: 'md5' }

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const PARAMETER = `(${TOKEN})[ \\t]*=[ \\t]*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,"]*))`
const PART = new RegExp(`[\\s,]*(?:${PARAMETER}|(${TOKEN})(?=[\\s,]|$))`, 'y')

/** Reads the challenges of headers, each of which may have several (RFC 9110, 11.6.1). */
export function parseChallenges(headers: readonly string[]): Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = []
  for (const header of headers) {
    PART.lastIndex = 0
    for (let part = PART.exec(header); part !== null; part = PART.exec(header)) {
      const [, name = '', quoted, plain = '', scheme] = part
      if (scheme !== undefined) challenges.push({ scheme, parameters: new Map() })
      else
        challenges
          .at(-1)
          ?.parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain)
    }
  }
  return challenges
}

/** The strongest challenge that can be answered; undefined without one. Passwords are never sent in clear text. */
export function chooseDigest(challenges: readonly Challenge[]): Challenge | undefined {
  const usable = challenges.filter(
    (one) =>
      one.scheme.toLowerCase() === 'digest' &&
      one.parameters.has('nonce') &&
      hashOf(one) !== undefined &&
      (qopOf(one) !== undefined || !one.parameters.has('qop')),
  )
  return usable.find((one) => hashOf(one) === 'sha256') ?? usable[0]
}

/** The value of `Authorization` that answers a challenge of `chooseDigest` (RFC 7616). */
export function answerDigest(challenge: Challenge, request: DigestRequest): string {
  const { method, path, cnonce } = request
  const [user, password] = [toBytes(request.user), toBytes(request.password)]
  const { parameters } = challenge
  const [realm = '', nonce = '', opaque, algorithm] = ['realm', 'nonce', 'opaque', 'algorithm'].map(
    (name) => parameters.get(name),
  )
  const hash = (text: string) =>
    createHash(hashOf(challenge) ?? 'md5')
      .update(text, 'latin1')
      .digest('hex')
  const qop = qopOf(challenge)
  const nc = request.count.toString(16).padStart(8, '0')
  const ha1 = hash(`${user}:${realm}:${password}`)
  const ha2 = hash(`${method}:${path}`)
  const middle = qop === undefined ? nonce : `${nonce}:${nc}:${cnonce}:${qop}`
  return [
    `Digest username=${quote(user)}`,
    `realm=${quote(realm)}`,
    `nonce=${quote(nonce)}`,
    `uri=${quote(path)}`,
    `response="${hash(`${ha1}:${middle}:${ha2}`)}"`,
    ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    ...(qop === undefined ? [] : [`qop=${qop}`, `nc=${nc}`, `cnonce=${quote(cnonce)}`]),
    ...(opaque === undefined ? [] : [`opaque=${quote(opaque)}`]),
  ].join(', ')
}

const hashOf = ({ parameters }: Challenge): string | undefined =>
  HASHES[(parameters.get('algorithm') ?? 'MD5').toUpperCase()]

const qopOf = ({ parameters }: Challenge): string | undefined =>
  parameters
    .get('qop')
    ?.split(',')
    .map((one) => one.trim())
    .find((one) => one === 'auth')

/** Headers are bytes, which Node has as the characters of Latin-1. */
const toBytes = (text: string): string => Buffer.from(text).toString('latin1')

const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`
