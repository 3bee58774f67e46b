import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SecurityDetails, SecurityLog } from '../../domain/access/security-log.ts'
import type { SecurityEvent } from '../../domain/access/security-events.ts'

const TOKENS = '/api/v1/oauth2/'
const INGEST = '/ingest/v1/'
const MANAGE = '/manage/v1/'

const TOKEN_ACTIONS: Readonly<Record<string, string>> = {
  '/api/v1/oauth2/token': 'issued',
  '/api/v1/oauth2/token/refresh': 'refreshed',
  '/api/v1/oauth2/token/invalidate': 'invalidated',
}

/** So many structures of a request are named. */
const STRUCTURES = 10

/** Who sends a request, from where, what it asks and of which structures, as the security log has it. */
export const describeRequest = (request: FastifyRequest): SecurityDetails => ({
  ...describeCaller(request),
  method: request.method,
  route: request.routeOptions.url ?? 'none',
  ...structures(request),
})

/** A request that Fastify itself refuses comes without. */
const describeCaller = (request: FastifyRequest): SecurityDetails => ({
  from: request.clientAddress ?? '',
  ...request.security,
})

/** Records one security event for each answer that means one, whether or not its client takes it. */
export function installSecurityEvents(app: FastifyInstance, security: SecurityLog): void {
  app.decorateRequest('security')
  app.addHook('onRequest', async (request) => {
    request.security = {}
  })
  // Before it is sent: after it nothing is said of a client that has gone.
  app.addHook('onSend', async (request, reply) => {
    for (const [event, details] of eventsOf(request, reply)) security.record(event, details)
  })
}

function* eventsOf(
  request: FastifyRequest,
  { statusCode: status }: FastifyReply,
): Generator<[SecurityEvent, SecurityDetails]> {
  const route = request.routeOptions.url ?? 'none'
  const known = request.security ?? {}
  const who = describeCaller(request)
  const where = { ...who, method: request.method, route }
  const isWrite = route.startsWith(MANAGE) && request.method !== 'GET' && request.method !== 'HEAD'

  if (status === 429) yield ['security.throttled', where]
  if (route.startsWith(TOKENS)) {
    if (status < 300) yield ['security.log-in', { ...who, action: TOKEN_ACTIONS[route] ?? '' }]
    else if (known.reason !== undefined) yield ['security.log-in-failed', where]
  } else if (status === 401)
    yield [route.startsWith(INGEST) ? 'security.key-refused' : 'security.token-refused', where]
  else if (status === 403) yield ['security.access-refused', { ...where, ...structures(request) }]

  if (isWrite && status !== 401 && status !== 429)
    yield ['security.write', { ...where, ...structures(request), status }]
}

function structures({ caller, params }: FastifyRequest): SecurityDetails {
  const { structId } = (params ?? {}) as { structId?: unknown }
  const asked = new Set(caller?.asked)
  if (typeof structId === 'number') asked.add(structId)
  return nameStructures(asked)
}

/** The first of the structures that were asked for; nothing where there are none. */
export const nameStructures = (asked: ReadonlySet<number>): SecurityDetails =>
  asked.size === 0 ? {} : { structures: Array.from(asked).slice(0, STRUCTURES) }
