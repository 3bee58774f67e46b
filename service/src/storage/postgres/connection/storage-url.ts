import { RefusedError } from '../../../errors/refused-error.ts'

/** How a connection is encrypted, with the meanings of libpq. */
export type TlsMode = (typeof TLS_MODES)[number]

const TLS_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

/** The parts of a storage URL. */
export type StorageTarget = Readonly<{
  /** A name, an address, or the folder of a socket. */
  host: string
  port: number
  user: string
  database: string
  password: string | undefined
  sslmode: TlsMode
  /** Files: the certificates of authorities, or `system` for those of the machine. */
  sslrootcert: string | undefined
  sslcert: string | undefined
  sslkey: string | undefined
  connectTimeoutSeconds: number
  applicationName: string
  /** Settings of the server, such as `-c search_path=plumbline`. */
  options: string | undefined
}>

const DEFAULT_PORT = 5432
const CONNECT_TIMEOUT_SECONDS = 10

const EXAMPLE = 'postgres://USER@HOST:5432/DATABASE'

/** No sentence repeats a part of the URL: a misplaced character makes any part a part of the password. */
const refuse = (problem: string): RefusedError =>
  new RefusedError('invalid', `The storage URL ${problem}.`)

const PARTS = /^postgres(?:ql)?:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i

/** Reads a storage URL; refuses one that lacks a part or has an unknown one. */
export function readStorageUrl(url: string): StorageTarget {
  const [, authority, path = '', query = ''] = PARTS.exec(url) ?? []
  if (authority === undefined)
    throw refuse(`must be written as ${EXAMPLE}, a # in its parts as %23`)
  if (`${path}${query}`.includes('@'))
    throw refuse('has an @ in a wrong place: in a user name or password write / as %2F, ? as %3F')
  const parameters = readParameters(query)
  const { user, password } = readUser(authority.slice(0, Math.max(0, authority.lastIndexOf('@'))))
  const place = readPlace(authority.slice(authority.lastIndexOf('@') + 1))
  const host = parameters.host ?? place.host ?? 'localhost'
  if (host.includes(',')) throw refuse('names several hosts; Plumbline connects to one')
  if (user === '') throw refuse(`names no user: write it as ${EXAMPLE}`)
  const database = decode(path, 'database')
  if (database === '') throw refuse(`names no database: write it as ${EXAMPLE}`)
  if (path.includes('/')) throw refuse('has a / in the name of the database: write it as %2F')
  if (parameters.sslcert !== undefined && parameters.sslkey === undefined)
    throw refuse('names sslcert without sslkey, the file of its key: name both')
  if (parameters.sslkey !== undefined && parameters.sslcert === undefined)
    throw refuse('names sslkey without sslcert, the file of its certificate: name both')
  return {
    host,
    port: readPort(parameters.port) ?? place.port ?? DEFAULT_PORT,
    user,
    database,
    password,
    sslmode: readMode(parameters.sslmode) ?? (isLocal(host) ? 'disable' : 'verify-full'),
    sslrootcert: parameters.sslrootcert,
    sslcert: parameters.sslcert,
    sslkey: parameters.sslkey,
    connectTimeoutSeconds: readTimeout(parameters.connect_timeout),
    applicationName: parameters.application_name ?? 'plumbline',
    options: parameters.options,
  }
}

/** The URL of a target without its password and parameters, for people and logs. */
export function describeTarget({ user, host, port, database }: StorageTarget): string {
  const place = isSocket(host) ? encodeURIComponent(host) : host.includes(':') ? `[${host}]` : host
  return `postgres://${encodeURIComponent(user)}@${place}:${port}/${encodeURIComponent(database)}`
}

/** The same of a URL. */
export const describeUrl = (url: string): string => describeTarget(readStorageUrl(url))

/** Whether a host is the folder of a socket. */
export const isSocket = (host: string): boolean => host.startsWith('/')

/** Whether what is sent to a host stays on this machine. */
const isLocal = (host: string): boolean =>
  isSocket(host) || /^(127\.\d+\.\d+\.\d+|::1|localhost)$/i.test(host)

function readUser(text: string): { user: string; password: string | undefined } {
  const colon = text.indexOf(':')
  if (colon === -1) return { user: decode(text, 'user name'), password: undefined }
  const password = decode(text.slice(colon + 1), 'password')
  return {
    user: decode(text.slice(0, colon), 'user name'),
    password: password === '' ? undefined : password,
  }
}

function readPlace(text: string): { host: string | undefined; port: number | undefined } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::([^:]*))?$/.exec(text) ?? []
  const name = bracketed ?? plain
  if (name === undefined)
    throw refuse('has no readable host: write an IPv6 address as [::1], a : in a password as %3A')
  const host = decode(name, 'host')
  return { host: host === '' ? undefined : host, port: readPort(port) }
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535) return port
  throw refuse(
    'has no port from 1 to 65535 after its host; in a password write : as %3A, / as %2F, @ as %40',
  )
}

type Parameter = (typeof PARAMETERS)[number]

const PARAMETERS = [
  'host',
  'port',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'connect_timeout',
  'application_name',
  'options',
] as const

function readParameters(query: string): Partial<Record<Parameter, string>> {
  const found: Partial<Record<Parameter, string>> = {}
  for (const text of query.split('&').filter(Boolean)) {
    const equals = text.indexOf('=')
    const name = PARAMETERS.find((one) => one === text.slice(0, Math.max(0, equals)))
    if (text.startsWith('password='))
      throw refuse('has its password as a parameter: use storage.passwordFile')
    if (name === undefined)
      throw refuse(`has an unknown parameter; it may have ${PARAMETERS.join(', ')}`)
    const value = decode(text.slice(equals + 1), `parameter ${name}`)
    if (value !== '') found[name] = value
  }
  return found
}

function readMode(text: string | undefined): TlsMode | undefined {
  if (text === undefined) return undefined
  const mode = TLS_MODES.find((one) => one === text)
  if (mode === undefined) throw refuse(`must have an sslmode of ${TLS_MODES.join(', ')}`)
  return mode
}

function readTimeout(text: string | undefined): number {
  if (text === undefined) return CONNECT_TIMEOUT_SECONDS
  if (/^\d{1,4}$/.test(text) && Number(text) > 0) return Number(text)
  throw refuse('must have a connect_timeout from 1 to 9999 seconds')
}

function decode(text: string, part: string): string {
  let value: string
  try {
    value = decodeURIComponent(text)
  } catch {
    throw refuse(`has a % in its ${part} without two hexadecimal digits: write it as %25`)
  }
  if (value.includes('\0')) throw refuse(`has a zero byte in its ${part}`)
  return value
}
