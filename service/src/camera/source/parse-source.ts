import { isIP, isIPv4, isIPv6 } from 'node:net'
import { SourceError } from './opened-source.ts'

/** The schemes of sources in the network, each with its port where the source names none. */
const PORTS = { rtsp: 554, rtsps: 322, rtmp: 1935, rtmps: 443, http: 80, https: 443 } as const

type Scheme = keyof typeof PORTS

/** A user and a password as they are, without escapes. */
export type Credentials = Readonly<{ user: string; password: string }>

/** A stream of a camera or a server in the network. */
export type NetworkSource = Readonly<{
  scheme: Scheme
  /** A name in lower case or an address; one of version 6 has no brackets. */
  host: string
  port: number
  /** Path and query as they are written; it may have secrets. */
  path: string
  credentials: Credentials | undefined
}>

/** A file in the folder of the cameras' files. */
export type FileSource = Readonly<{ scheme: 'file'; name: string }>

/**
 * Parses the text of a source; throws a SourceError, which shows nothing of the text.
 *
 * It does not use `URL`, which changes paths of rtsp and keeps escapes in passwords.
 */
export function parseSource(text: string): NetworkSource | FileSource {
  const [, scheme = '', rest = ''] = /^([a-z]+):(.*)$/is.exec(text) ?? []
  const known = scheme.toLowerCase()
  if (known === 'file') return { scheme: known, name: parseName(rest) }
  if (!isScheme(known) || !rest.startsWith('//'))
    throw new SourceError(
      `A source begins with ${Object.keys(PORTS).join('://, ')}:// or is file: and the name of a file.`,
    )
  if (!/^[\x21-\x7e]*$/.test(rest))
    throw new SourceError(
      'A source has only printable ASCII characters without blanks; write the others as percent escapes.',
    )
  return { scheme: known, ...parseAddress(rest.slice('//'.length), PORTS[known]) }
}

const isScheme = (text: string): text is Scheme => Object.hasOwn(PORTS, text)

/** Parses `user:password@host:port/path?query`; a password may have any of `:`, `@`, but no `/`, `?`, `#`. */
function parseAddress(text: string, usualPort: number): Omit<NetworkSource, 'scheme'> {
  const [, authority = '', path = ''] = /^([^/?#]*)(.*)$/.exec(text) ?? []
  const at = authority.lastIndexOf('@')
  const credentials = at === -1 ? undefined : parseCredentials(authority.slice(0, at))
  const [, host = '', , port] =
    /^(\[[^\]]*\]|[^:]*)(:(\d{0,5}))?$/.exec(authority.slice(at + 1)) ?? []
  return {
    host: parseHost(host),
    port: port === undefined || port === '' ? usualPort : parsePort(port),
    path: path.startsWith('/') ? path : `/${path}`,
    credentials,
  }
}

function parseCredentials(text: string): Credentials {
  const colon = text.indexOf(':')
  const user = decode(colon === -1 ? text : text.slice(0, colon))
  return { user, password: colon === -1 ? '' : decode(text.slice(colon + 1)) }
}

function decode(text: string): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(text)
  } catch {
    throw new SourceError(
      'The user name or the password of a source has a wrong percent escape; % itself is written %25.',
    )
  }
  if (/\p{Cc}/u.test(decoded))
    throw new SourceError('The user name or the password of a source has a control character.')
  return decoded
}

function parseHost(text: string): string {
  if (text.startsWith('[')) {
    const address = text.slice(1, -1)
    if (isIPv6(address) && !address.includes('%')) return address.toLowerCase()
  } else {
    const host = text.toLowerCase().replace(/\.$/, '')
    if (isIPv4(host) || isHostName(host)) return host
  }
  throw new SourceError(
    'The host of a source is a name, four decimal numbers such as 10.0.0.7, or an IPv6 address in brackets.',
  )
}

/**
 * Whether a text is the name of a host in lower case.
 *
 * Resolvers take `0x7f.1`, `127.1` and `2130706433` for addresses: a name does not end with a number.
 */
export const isHostName = (text: string): boolean =>
  text.length <= 253 &&
  /^[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_][a-z0-9_-]{0,62})*$/.test(text) &&
  !/(^|\.)(\d+|0x[0-9a-f]*)$/.test(text) &&
  isIP(text) === 0

function parsePort(text: string): number {
  const port = Number(text)
  if (port >= 1 && port <= 65_535) return port
  throw new SourceError('The port of a source is a number from 1 to 65535.')
}

/** Parses the name of a file below the folder of the cameras' files. */
function parseName(name: string): string {
  const parts = name.split(/[/\\]/)
  const isInside =
    !name.includes('\0') && parts.every((part) => part !== '' && part !== '.' && part !== '..')
  if (isInside) return name
  throw new SourceError(
    'The name of a file is relative to the folder cameras in the data folder, without "..".',
  )
}
