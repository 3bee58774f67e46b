import type { ServerOptions } from 'node:https'
import fastify, { LogController, type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { Analyser } from '../analysis/analyser.ts'
import type { AppOptions } from './app-options.ts'
import { registerRoutes } from './register-routes.ts'
import { waveformAnalysis } from './requests/analyse-waveform.ts'
import { DeflatePool } from './responses/deflate-pool.ts'
import { PointTexts } from './responses/point-texts.ts'
import { ResponseCache } from './responses/response-cache.ts'
import { ResponseObservers } from './responses/response-observers.ts'
import { BodyReader } from './requests/bodies/body-reader.ts'
import { UnreadBodies } from './requests/bodies/unread-bodies.ts'
import {
  closeBrokenConnection,
  refuseConnect,
  refuseExpectation,
  requireHost,
} from './requests/broken-requests.ts'
import { authenticator } from './security/authenticate.ts'
import { clientAddress, installClientAddress } from './requests/client-address.ts'
import { secureContext } from './security/certificate.ts'
import { limitConnections } from './security/connection-limits.ts'
import { IdleConnections } from './security/idle-connections.ts'
import { ItemTexts } from './responses/source-texts.ts'
import { installCompression } from './responses/compression.ts'
import { installErrorHandlers, sendError } from './responses/error-responses.ts'
import { installReference } from './reference/reference.ts'
import { installMediaTypes } from './requests/media-type.ts'
import { queueRequests } from './requests/request-queue.ts'
import { guardResponses } from './responses/guard-responses.ts'
import { safeHeaders } from './responses/safe-headers.ts'
import { installSecurityEvents } from './security/security-events.ts'
import { installFastPath } from './responses/fast-path.ts'
import { validatorCompiler } from './requests/validation.ts'
import './types.ts'

/** Only the method of a request is logged, since its URL may contain a token or a plate. */
const SERIALIZERS = { req: ({ method }: { method?: string }) => ({ method }) }

/** The largest body of a route without a limit of its own, after decompression. */
const BODY_BYTES = 256 * 1024

/** Builds the HTTPS application: the interface, ingest, management and the reference page. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { storage, catalogue, commits, access, now } = options
  const headers = safeHeaders(options.hstsSeconds)
  const idle = new IdleConnections()
  const app = fastify({
    https: serverOptions(options),
    loggerInstance: options.log.child({}, { serializers: SERIALIZERS }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_BYTES,
    connectionTimeout: options.limits.stalledSeconds * 1000,
    requestTimeout: options.limits.requestTimeoutSeconds * 1000,
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true },
    frameworkErrors: sendError,
    clientErrorHandler: closeBrokenConnection(headers),
    return503OnClosing: false,
  }) as unknown as FastifyInstance

  // Responses need no serializer of their schema: long ones are written as text by their route.
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  app.setValidatorCompiler(validatorCompiler)
  app.decorateRequest('caller')
  app.decorateRequest('applicationId', '')
  app.decorateRequest('keyTargets', null)
  installErrorHandlers(app)
  installMediaTypes(app)
  const responses = observeResponses(app, options.log)
  app.decorate('responses', responses)
  const addressOf = clientAddress(options.trustedProxies)
  installClientAddress(app, addressOf)
  installSecurityEvents(app, access.security)
  const connections = { ...options.limits.connections, proxies: options.trustedProxies }
  limitConnections(app.server, connections, (from, reason) =>
    access.security.record('security.connection-refused', { from, reason }),
  )
  app.server.on('checkExpectation', refuseExpectation)
  app.server.on('connect', refuseConnect(headers))
  app.addHook('onRequest', requireHost)
  const unread = new UnreadBodies()
  const bodies = new BodyReader(options.limits.bodies, unread)
  bodies.install(app)
  const parts = new AsyncDisposableStack()
  app.addHook('onClose', () => parts.disposeAsync())
  const deflatePool = parts.use(new DeflatePool())
  app.decorate('deflatePool', deflatePool)
  installCompression(app, deflatePool)
  unread.install(app)
  await installReference(app, options.publicUrl)

  const cache = new ResponseCache(options.limits.cacheBytes, deflatePool)
  const analyser = parts.use(new Analyser('analysis'))
  const analyse = waveformAnalysis(analyser, storage.waveforms, options.limits.analysisSamples)
  const points = parts.use(new PointTexts())
  const tokens = authenticator({ tokens: storage.tokens, catalogue, now })
  const source = { data: storage.records, horizon: () => commits.horizon(), items: new ItemTexts() }
  installFastPath({ app, source, authenticator: tokens, access, idle, responses, addressOf })
  app.addHook('onReady', async () => {
    guardResponses(app.server, headers)
    queueRequests(app.server, idle)
  })
  await registerRoutes(app, {
    ...options,
    idle,
    bodies,
    tokens,
    source,
    cache,
    analyse,
    points,
  })
  return app
}

const serverOptions = ({ certificate, limits }: AppOptions): ServerOptions => ({
  ...secureContext(certificate),
  // Node applies requestTimeout only with a shorter headersTimeout and frequent checks.
  headersTimeout: Math.min(5000, limits.requestTimeoutSeconds * 500),
  connectionsCheckingInterval: 500,
  handshakeTimeout: limits.handshakeSeconds * 1000,
  // `requireHost` refuses with a body; Node would refuse without one.
  requireHostHeader: false,
})

/** Observes every response that Fastify handles, and logs each one at level debug. */
function observeResponses(app: FastifyInstance, log: Logger): ResponseObservers {
  const responses = new ResponseObservers()
  // Fastify's onResponse is not called for a client that closes the connection early.
  app.addHook('onRequest', async ({ method, routeOptions }, { raw }) => {
    responses.watch(raw, { method, route: routeOptions.url ?? 'none', start: performance.now() })
  })
  responses.observe(({ milliseconds, ...ended }) => {
    if (!log.isLevelEnabled('debug')) return
    log.debug({ ...ended, milliseconds: Math.round(milliseconds) }, 'request completed')
  })
  return responses
}
