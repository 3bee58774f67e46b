import type { TokenResponse } from '@plumbline/contract'
import { alarms } from './alarms.ts'
import { cameras } from './cameras.ts'
import { data } from './data.ts'
import { bindMethods, type Call, type CallOptions, type Methods } from './endpoint.ts'
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
  /** What precedes every path: `https://host:8443/api/v1`. */
  baseUrl: string
  /** Replaces the global `fetch`. */
  fetch?: Fetch | undefined
}

type Credentials = { applicationId: string; applicationSecret: string }

export type ClientOptions = Address & (Credentials | { token: string })

/** What can be read with a token. */
export const READING = {
  ...structures,
  ...data,
  ...traffic,
  ...vibration,
  ...thresholds,
  ...alarms,
  ...cameras,
} as const

/** The operations that need the application's id and secret. */
export const GRANTING = tokens

export type TokenClient = Methods<typeof READING>
export type Client = TokenClient & Methods<typeof GRANTING>

/**
 * Makes a client of the interface.
 *
 * With application credentials it gets its own token on first use and a new one when that ends or
 * is refused. With a token it reads until the token ends.
 */
export function createClient(options: Address & Credentials): Client
export function createClient(options: Address & { token: string }): TokenClient
export function createClient(options: ClientOptions): Client | TokenClient {
  const send = createSend(options.baseUrl, options.fetch)

  if ('token' in options) {
    const authorization = `Bearer ${options.token}`
    return bindMethods(READING, (wire, input, callOptions) =>
      send(toRequest(wire, input), authorization, callOptions),
    )
  }

  const authorization = basic(options)
  const grant: Call = (wire, input, callOptions) =>
    send(toRequest(wire, input), authorization, callOptions)
  const session = new Session(() => grant(tokens.issueToken, {}, {}) as Promise<TokenResponse>)

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

  return { ...bindMethods(GRANTING, grant), ...bindMethods(READING, read) }
}

const isUnauthorized = (error: unknown): boolean =>
  error instanceof PlumblineError && error.status === 401

function basic({ applicationId, applicationSecret }: Credentials): string {
  const pair = `${encodeURIComponent(applicationId)}:${encodeURIComponent(applicationSecret)}`
  return `Basic ${btoa(pair)}`
}
