import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SecurityDetails, SecurityLog } from '../../domain/access/security-log.ts'
import { memberOf } from '../requests/member-of.ts'
import type { SecurityEvent } from '../../domain/access/security-events.ts'

const TOKENS = '/api/v1/oauth2/'
const INGEST = '/ingest/v1/'
const MANAGE = '/manage/v1/'

const TOKEN_ACTIONS: Readonly<Record<string, string>> = {
  '/api/v1/oauth2/token': 'issued',
  '/api/v1/oauth2/token/refresh': 'refreshed',
  '/api/v1/oauth2/token/invalidate': 'invalidated',
}

/** Structures of a request that the log names. */
const STRUCTURES_MAXIMUM = 10

/** The client, route and structures of a request, for the security log. */
export const describeRequest = (request: FastifyRequest): SecurityDetails => ({
  ...describeCaller(request),
  method: request.method,
  route: request.routeOptions.url ?? 'none',
  ...structures(request),
})

/** Requests that Fastify refuses before the hooks have no address. */
const describeCaller = (request: FastifyRequest): SecurityDetails => ({
  from: request.clientAddress ?? '',
  ...request.security,
})

/** Records the security events of each response, also when its client has closed the connection. */
export function installSecurityEvents(
  app: FastifyInstance,
  security: Pick<SecurityLog, 'record'>,
): void {
  app.decorateRequest('security')
  app.addHook('onRequest', async (request) => {
    request.security = {}
  })
  // Hooks after sending are not called for a client that closes the connection early.
  app.addHook('onSend', async (request, reply) => {
    for (const [event, details] of eventsOf(request, reply)) security.record(event, details)
  })
}

function* eventsOf(
  request: FastifyRequest,
  { statusCode: status }: FastifyReply,
): Generator<[SecurityEvent, SecurityDetails]> {
  const route = request.routeOptions.url ?? 'none'
  const { reason } = request.security ?? {}
  const caller = describeCaller(request)
  const details = { ...caller, method: request.method, route }
  const { access, scope, isChange = true } = request.routeOptions.config ?? {}
  const isWrite =
    route.startsWith(MANAGE) &&
    access === 'token' &&
    scope !== 'read' &&
    isChange &&
    request.method !== 'GET'

  if (status === 429) yield ['security.throttled', details]
  if (route.startsWith(TOKENS)) {
    if (status < 300) yield ['security.log-in', { ...caller, action: TOKEN_ACTIONS[route] ?? '' }]
    else if (reason !== undefined) yield ['security.log-in-failed', details]
  } else if (access === 'body') {
    if (status < 300 && caller['account'] !== undefined) yield ['security.sign-in', caller]
    else if (reason !== undefined) yield ['security.sign-in-failed', details]
  } else if (status === 401)
    yield [route.startsWith(INGEST) ? 'security.key-refused' : 'security.token-refused', details]
  else if (status === 403) yield ['security.access-refused', { ...details, ...structures(request) }]

  if (isWrite && status !== 401 && status !== 429)
    yield ['security.write', { ...details, ...structures(request), status }]
}

function structures({ caller, params }: FastifyRequest): SecurityDetails {
  const structId = memberOf(params, 'structId')
  const requested = new Set(caller?.requestedStructures)
  if (typeof structId === 'number') requested.add(structId)
  return nameStructures(requested)
}

/** The first structures of a request; nothing without any. */
export const nameStructures = (requested: ReadonlySet<number>): SecurityDetails =>
  requested.size === 0 ? {} : { structures: Array.from(requested).slice(0, STRUCTURES_MAXIMUM) }
