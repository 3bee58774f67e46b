import { alarms } from './alarms.ts'
import { cameras } from './cameras.ts'
import { data } from './data.ts'
import {
  bindMethods,
  type Call,
  type CallOptions,
  type EndpointsBelow,
  type Methods,
} from './endpoint.ts'
import { PlumblineError } from './plumbline-error.ts'
import { toRequest, type Request } from './request.ts'
import { createSend, type Fetch } from './send.ts'
import { Session } from './session.ts'
import { structures } from './structures.ts'
import { thresholds } from './thresholds.ts'
import { tokens } from './tokens.ts'
import { traffic } from './traffic.ts'
import { vibration } from './vibration.ts'

type Address = {
  /** The base address of all paths: `https://host:8443/api/v1`. */
  baseUrl: string
  /** Replaces the global `fetch`. */
  fetch?: Fetch | undefined
}

type ApplicationCredentials = { applicationId: string; applicationSecret: string }

export type ClientOptions = Address & (ApplicationCredentials | { token: string })

/** The endpoints that need an access token. */
export const READ_ENDPOINTS = {
  ...structures,
  ...data,
  ...traffic,
  ...vibration,
  ...thresholds,
  ...alarms,
  ...cameras,
} as const satisfies EndpointsBelow<'/api/v1'>

/** The endpoints that need the id and secret of an application. */
export const TOKEN_ENDPOINTS = tokens satisfies EndpointsBelow<'/api/v1'>

export type TokenClient = Methods<typeof READ_ENDPOINTS>
export type Client = TokenClient & Methods<typeof TOKEN_ENDPOINTS>

/**
 * Creates a client of the interface.
 *
 * With application credentials it issues a token at the first call, and a new one when the token
 * expires or is refused. With a token it can read until the token expires.
 */
export function createClient(options: Address & ApplicationCredentials): Client
export function createClient(options: Address & { token: string }): TokenClient
export function createClient(options: ClientOptions): Client | TokenClient {
  const send = createSend(options.baseUrl, options.fetch)

  if ('token' in options) {
    const authorization = `Bearer ${options.token}`
    return bindMethods(READ_ENDPOINTS, (wire, input, callOptions) =>
      send(toRequest(wire, input), authorization, callOptions),
    )
  }

  const authorization = basic(options)
  const grant: Call = (wire, input, callOptions) =>
    send(toRequest(wire, input), authorization, callOptions)
  const tokenMethods = bindMethods(TOKEN_ENDPOINTS, grant)
  const session = new Session(() => tokenMethods.issueToken())

  const attempt = async (request: Request, callOptions: CallOptions): Promise<unknown> => {
    const token = await session.token(callOptions.signal)
    try {
      return await send(request, `Bearer ${token}`, callOptions)
    } catch (error) {
      if (isUnauthorized(error)) session.forget(token)
      throw error
    }
  }
  const read: Call = async (wire, input, callOptions) => {
    const request = toRequest(wire, input)
    try {
      return await attempt(request, callOptions)
    } catch (error) {
      if (!isUnauthorized(error)) throw error
      return attempt(request, callOptions)
    }
  }

  return { ...tokenMethods, ...bindMethods(READ_ENDPOINTS, read) }
}

const isUnauthorized = (error: unknown): boolean =>
  error instanceof PlumblineError && error.status === 401

function basic({ applicationId, applicationSecret }: ApplicationCredentials): string {
  const pair = `${encodeURIComponent(applicationId)}:${encodeURIComponent(applicationSecret)}`
  return `Basic ${btoa(pair)}`
}
