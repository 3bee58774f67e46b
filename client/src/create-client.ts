import type { OperationsClient, TokenMethods } from './clients.ts'
import { createCall, type Authorization } from './connection.ts'
import { bindMethods } from './endpoint.ts'
import { MANAGE_ENDPOINTS, READ_ENDPOINTS, TOKEN_ENDPOINTS } from './endpoints.ts'
import { createIterations, type Iterations } from './iteration.ts'
import type { ConnectionOptions } from './options.ts'
import { PlumblineError } from './plumbline-error.ts'
import { Session } from './session.ts'

type ApplicationCredentials = { applicationId: string; applicationSecret: string }
type Token = { token?: string }

export type ClientOptions = ConnectionOptions & (ApplicationCredentials | Token)

/** A client that reads and manages, but issues no tokens. */
export type TokenClient = OperationsClient & Iterations
export type Client = TokenClient & TokenMethods

/**
 * Creates a client of the interface and of management.
 *
 * With application credentials it issues a token at the first call, and a new one when the token
 * expires or is refused. With a token it works until that expires. With neither it sends no token:
 * in a page of the service the cookie of a session takes its place.
 */
export function createClient(options: ConnectionOptions & ApplicationCredentials): Client
export function createClient(options?: ConnectionOptions & Token): TokenClient
export function createClient(options: ClientOptions = {}): Client | TokenClient {
  if (!('applicationId' in options)) {
    const header = options.token === undefined ? undefined : `Bearer ${options.token}`
    return bindOperations(options, { header: async () => header })
  }

  const basic = basicOf(options)
  const grant = createCall(options, '/api/v1', { header: async () => basic })
  const tokenMethods: TokenMethods = bindMethods(TOKEN_ENDPOINTS, grant)
  const session = new Session(() => tokenMethods.issueToken())
  const operations = bindOperations(options, {
    header: async ({ signal }) => `Bearer ${await session.token(signal)}`,
    renew(error, header) {
      if (!isUnauthenticated(error)) return false
      session.forget(header?.slice('Bearer '.length) ?? '')
      return true
    },
  })
  return { ...tokenMethods, ...operations }
}

function bindOperations(options: ConnectionOptions, authorization: Authorization): TokenClient {
  const operations: OperationsClient = {
    ...bindMethods(READ_ENDPOINTS, createCall(options, '/api/v1', authorization)),
    ...bindMethods(MANAGE_ENDPOINTS, createCall(options, '/manage/v1', authorization)),
  }
  return { ...operations, ...createIterations(operations, { timeZone: options.timeZone }) }
}

const isUnauthenticated = (error: unknown): boolean =>
  error instanceof PlumblineError && error.kind === 'unauthenticated'

function basicOf({ applicationId, applicationSecret }: ApplicationCredentials): string {
  const pair = `${encodeURIComponent(applicationId)}:${encodeURIComponent(applicationSecret)}`
  return `Basic ${btoa(pair)}`
}
