import type { RequestListener } from 'node:http'
import type { ServerOptions } from 'node:https'
import type { SecureContextOptions } from 'node:tls'
import fastify, { LogController, type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { AccessControl } from '../access/access-control.ts'
import { Analyser } from '../analysis/analyser.ts'
import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import type { AppOptions } from './app-options.ts'
import { waveformAnalysis, type AnalyseWaveform } from './requests/analyse-waveform.ts'
import { BodyReader } from './requests/bodies/body-reader.ts'
import { UnreadBodies } from './requests/bodies/unread-bodies.ts'
import {
  closeBrokenConnection,
  refuseConnect,
  refuseExpectation,
  requireHost,
} from './requests/broken-requests.ts'
import { clientAddress, installClientAddress } from './requests/client-address.ts'
import { interceptRequests } from './requests/intercept-requests.ts'
import { installMediaTypes } from './requests/media-type.ts'
import { queueRequests } from './requests/request-queue.ts'
import { traceRequests } from './requests/trace-requests.ts'
import { validatorCompiler } from './requests/validation.ts'
import { installCompression } from './responses/compression.ts'
import { DeflatePool } from '../encodings/deflate-pool.ts'
import { installErrorHandlers, sendError, type AnswerError } from './responses/error-responses.ts'
import { installFastPath } from './responses/fast-path.ts'
import { guardResponses } from './responses/guard-responses.ts'
import { PointTexts } from './responses/point-texts.ts'
import { ResponseCache } from './responses/response-cache.ts'
import { ResponseObservers } from './responses/response-observers.ts'
import { safeHeaders } from './responses/safe-headers.ts'
import { ItemTexts } from './responses/source-texts.ts'
import type { ThemeSource } from './responses/theme-data.ts'
import { authenticator, type Authenticator, type SessionLimits } from './security/authenticate.ts'
import { IdleConnections } from './security/idle-connections.ts'
import { installSecurityEvents } from './security/security-events.ts'
import './types.ts'

/** Only the method of a request is logged, since its URL may contain a token or a plate. */
const SERIALIZERS = { req: ({ method }: { method?: string }) => ({ method }) }

/** The largest body of a route without a limit of its own, after decompression. */
const BODY_BYTES = 256 * 1024

/** What reading needs of the storage. */
export type ReadStorage = Pick<Storage, 'records' | 'traffic' | 'waveforms' | 'alarms'> & {
  tokens: Pick<Storage['tokens'], 'find' | 'markExpired'>
  /** Without them requests with the cookie of a session are left to another process. */
  sessions?: Storage['sessions']
}

type CoreOptions = Pick<
  AppOptions,
  'trustedProxies' | 'hstsSeconds' | 'ticketKeys' | 'sharing' | 'tracing'
> & {
  tls: SecureContextOptions
  storage: ReadStorage
  catalogue: CurrentCatalogue
  access: AccessControl
  log: Logger
  limits: Pick<
    AppOptions['limits'],
    | 'requestTimeoutSeconds'
    | 'handshakeSeconds'
    | 'stalledSeconds'
    | 'bodies'
    | 'cacheBytes'
    | 'analysisSamples'
  > & { sessions: SessionLimits }
  /** The last instant at which a record counts as newest. */
  horizon(): number
  /** Answers failed and refused requests; default: here. */
  answerError?: AnswerError
  /** Decides about each request before it is answered here. */
  intercept?: (next: RequestListener) => RequestListener
  now(): number
}

/** The parts that all routes share. */
export type AppCore = {
  app: FastifyInstance
  idle: IdleConnections
  bodies: BodyReader
  tokens: Authenticator
  source: ThemeSource
  cache: ResponseCache
  analyse: AnalyseWaveform
  points: PointTexts
}

/** Opens an HTTPS application without routes: limits, errors, reading of bodies, writing of responses. */
export function openCore(options: CoreOptions): AppCore {
  const { storage, catalogue, access, limits, now, answerError = sendError } = options
  const headers = safeHeaders(options.hstsSeconds)
  const idle = new IdleConnections()
  const app = fastify({
    https: serverOptions(options),
    loggerInstance: options.log.child({}, { serializers: SERIALIZERS }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_BYTES,
    connectionTimeout: limits.stalledSeconds * 1000,
    requestTimeout: limits.requestTimeoutSeconds * 1000,
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true },
    frameworkErrors: answerError,
    clientErrorHandler: closeBrokenConnection(headers),
    return503OnClosing: false,
  }) as unknown as FastifyInstance

  // Responses need no serializer of their schema: long ones are written as text by their route.
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  app.setValidatorCompiler(validatorCompiler)
  app.decorateRequest('caller')
  app.decorateRequest('identity', null)
  app.decorateRequest('applicationId', '')
  app.decorateRequest('keyTargets', null)
  installErrorHandlers(app, answerError)
  installMediaTypes(app)
  const responses = observeResponses(app, options.log)
  app.decorate('responses', responses)
  const addressOf = clientAddress(options.trustedProxies)
  installClientAddress(app, addressOf)
  installSecurityEvents(app, access.security)
  app.server.on('checkExpectation', refuseExpectation)
  app.server.on('connect', refuseConnect(headers))
  app.addHook('onRequest', requireHost)
  const unread = new UnreadBodies()
  const bodies = new BodyReader(limits.bodies, unread)
  bodies.install(app)
  const parts = new AsyncDisposableStack()
  app.addHook('onClose', () => parts.disposeAsync())
  const deflatePool = parts.use(new DeflatePool())
  app.decorate('deflatePool', deflatePool)
  installCompression(app, deflatePool)
  unread.install(app)

  const cache = new ResponseCache(limits.cacheBytes, deflatePool)
  const analyser = parts.use(new Analyser('analysis'))
  const analyse = waveformAnalysis(analyser, storage.waveforms, limits.analysisSamples)
  const points = parts.use(new PointTexts())
  const byToken = { tokens: storage.tokens, catalogue, now }
  const sessions = storage.sessions && { store: storage.sessions, ...limits.sessions }
  const tokens = authenticator({ ...byToken, sessions })
  const source = { data: storage.records, horizon: options.horizon, items: new ItemTexts() }
  installFastPath({
    app,
    source,
    authenticator: authenticator(byToken),
    access,
    idle,
    responses,
    addressOf,
  })
  const { intercept, tracing } = options
  app.addHook('onReady', async () => {
    if (intercept !== undefined) interceptRequests(app.server, intercept)
    guardResponses(app.server, headers)
    if (tracing !== undefined) traceRequests(app.server, tracing, responses, options.trustedProxies)
    queueRequests(app.server, idle)
  })
  return { app, idle, bodies, tokens, source, cache, analyse, points }
}

const serverOptions = ({
  tls,
  ticketKeys,
  limits,
  sharing,
}: CoreOptions): ServerOptions & { pauseOnConnect: boolean } => ({
  ...tls,
  ...(ticketKeys === undefined ? {} : { ticketKeys }),
  // The first bytes of a connection are for the process that it is given to.
  pauseOnConnect: sharing !== undefined,
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
