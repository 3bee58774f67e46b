import type { ServerOptions } from 'node:https'
import fastify, { LogController, type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { TokenRouteOptions } from './routes/tokens.ts'
import type { Commits } from '../commit/commits.ts'
import type { MediaSettings } from '../camera/playback-grant.ts'
import type { AccessControl } from '../domain/access/access-control.ts'
import { FailedAttempts } from '../domain/access/attempts.ts'
import type { StationDerivation } from '../derivation/station-derivation.ts'
import type { RecordIngest } from '../ingest/record-ingest.ts'
import type { ReadPoint } from '../ingest/line-protocol/point-mapping.ts'
import type { RequestCounts } from '../ingest/rejects/request-counts.ts'
import type { RejectWriter } from '../ingest/rejects/reject-writer.ts'
import type { Replays } from '../ingest/rejects/replay.ts'
import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import { Analyser } from '../analysis/analyser.ts'
import { waveformAnalysis } from './requests/analyse-waveform.ts'
import { DeflatePool } from './responses/deflate-pool.ts'
import { PointTexts } from './responses/point-texts.ts'
import { ResponseCache } from './responses/response-cache.ts'
import { ResponseObservers } from './responses/response-observers.ts'
import { BodyReader, type BodySettings } from './requests/bodies/body-reader.ts'
import { UnreadBodies } from './requests/bodies/unread-bodies.ts'
import {
  closeBrokenConnection,
  refuseConnect,
  refuseExpectation,
  requireHost,
} from './requests/broken-requests.ts'
import { memberOf } from './requests/member-of.ts'
import { requireKey, requireToken } from './security/access.ts'
import { authenticator } from './security/authenticate.ts'
import { clientAddress, installClientAddress } from './requests/client-address.ts'
import { secureContext, type Certificate } from './security/certificate.ts'
import { limitConnections, type ConnectionLimits } from './security/connection-limits.ts'
import { IdleConnections } from './security/idle-connections.ts'
import { ItemTexts } from './responses/source-texts.ts'
import { installCompression } from './responses/compression.ts'
import { installErrorHandlers, sendError } from './responses/error-responses.ts'
import { installReference } from './reference/reference.ts'
import { queueRequests } from './requests/request-queue.ts'
import { alarmManageRoutes, alarmRoutes } from './routes/alarms.ts'
import { analysisRoutes } from './routes/analysis.ts'
import { cameraRoutes } from './routes/cameras.ts'
import { clockRoutes } from './routes/clocks.ts'
import { dataRoutes } from './routes/data.ts'
import { derivationRoutes } from './routes/derivation.ts'
import { lineProtocolRoutes } from './routes/line-protocol.ts'
import { ingestRoutes, originOf } from './routes/ingest.ts'
import { readingRoutes } from './routes/readings.ts'
import { recordRoutes } from './routes/records.ts'
import { rejectRoutes } from './routes/rejects.ts'
import { seriesRoutes } from './routes/series.ts'
import { structureRoutes } from './routes/structures.ts'
import { notificationRoutes, type NotificationRouteOptions } from './routes/notifications.ts'
import { thresholdManageRoutes, thresholdRoutes } from './routes/thresholds.ts'
import { tokenRoutes } from './routes/tokens.ts'
import { trafficRoutes } from './routes/traffic.ts'
import { vibrationRoutes } from './routes/vibration.ts'
import { guardResponses } from './responses/guard-responses.ts'
import { safeHeaders } from './responses/safe-headers.ts'
import { installSecurityEvents } from './security/security-events.ts'
import { installFastPath } from './responses/fast-path.ts'
import { validatorCompiler } from './requests/validation.ts'
import './types.ts'

export type AppOptions = {
  storage: Storage
  catalogue: CurrentCatalogue
  ingest: RecordIngest
  commits: Commits
  derivation: StationDerivation
  access: AccessControl
  certificate: Certificate
  media: MediaSettings
  log: Logger
  limits: {
    requestTimeoutSeconds: number
    /** A connection without a TLS handshake is closed after this time. */
    handshakeSeconds: number
    /** A client that reads nothing of its response is disconnected after this time. */
    stalledSeconds: number
    maxBodyBytes: number
    bodies: BodySettings
    connections: Omit<ConnectionLimits, 'proxies'>
    tokenLifetimeSeconds: number
    failuresPerMinute: number
    /** Bytes of the cache of responses with waveforms and spectra. */
    cacheBytes: number
    /** A waveform with more samples is not analysed. */
    analysisSamples: number
  }
  sources: {
    readPoint: ReadPoint
    rejects: Pick<RejectWriter, 'add'>
    requests: RequestCounts
    replays: Replays
  }
  notifications: Pick<NotificationRouteOptions, 'channels' | 'states'>
  trustedProxies: readonly string[]
  /** `max-age` of Strict-Transport-Security; 0 leaves the header out. */
  hstsSeconds: number
  now(): number
}

/** Only the method of a request is logged, since its URL may contain a token or a plate. */
const SERIALIZERS = { req: ({ method }: { method?: string }) => ({ method }) }

/** The largest body of a route without a limit of its own, after decompression. */
const BODY_BYTES = 256 * 1024

/** Builds the HTTPS application: the interface, ingest, management and the reference page. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { storage, catalogue, ingest, commits, derivation, access, now } = options
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
  installErrorHandlers(app)
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
  await installReference(app)

  const cache = new ResponseCache(options.limits.cacheBytes, deflatePool)
  const analyser = parts.use(new Analyser('analysis'))
  const analyse = waveformAnalysis(analyser, storage.waveforms, options.limits.analysisSamples)
  const points = parts.use(new PointTexts())
  const tokens = authenticator({ tokens: storage.tokens, catalogue, now })
  const horizon = () => commits.horizon()
  const deletion = { catalogue, storage, commits, derivation }
  const source = { data: storage.records, horizon, items: new ItemTexts() }
  installFastPath({ app, source, authenticator: tokens, access, idle, responses, addressOf })
  app.addHook('onReady', async () => {
    guardResponses(app.server, headers)
    queueRequests(app.server, idle)
  })
  await app.register(
    async (api) => {
      await api.register(tokenRoutes, tokenOptions(options, idle))
      await api.register(async (data) => {
        requireToken(data, tokens, { access, idle })
        await data.register(structureRoutes)
        await data.register(dataRoutes, { storage, source })
        await data.register(trafficRoutes, { storage })
        await data.register(vibrationRoutes, { storage, cache, analyse, points })
        await data.register(thresholdRoutes)
        await data.register(alarmRoutes, { storage })
        await data.register(cameraRoutes, { media: options.media, now })
      })
    },
    { prefix: '/api/v1' },
  )

  await app.register(
    async (ingestApp) => {
      requireKey(ingestApp, storage.ingestKeys, { access, idle })
      ingestApp.addHook('onRoute', (route) => {
        route.bodyLimit = options.limits.maxBodyBytes
      })
      const { requests } = options.sources
      countRejected(ingestApp, requests)
      await ingestApp.register(ingestRoutes, { ingest, bodies, requests })
      await ingestApp.register(lineProtocolRoutes, { ...options.sources, ingest, bodies })
    },
    { prefix: '/ingest/v1' },
  )

  await app.register(
    async (manage) => {
      requireToken(manage, tokens, { access, idle })
      await manage.register(seriesRoutes, { storage })
      await manage.register(readingRoutes, { ingest, readings: storage.manualReadings, horizon })
      await manage.register(thresholdManageRoutes, { storage })
      await manage.register(alarmManageRoutes, {
        storage,
        commits,
        now: () => commits.now(),
      })
      await manage.register(derivationRoutes, { derivation, ingest, storage })
      await manage.register(recordRoutes, { deletion, ingest, commits, storage })
      const { replays } = options.sources
      await manage.register(rejectRoutes, { rejects: storage.rejects, replays })
      await manage.register(analysisRoutes, { storage, cache, analyse, horizon })
      await manage.register(clockRoutes, { storage, behind: ingest.clock.behind, now, horizon })
      await manage.register(notificationRoutes, { ...options.notifications, storage, now })
    },
    { prefix: '/manage/v1' },
  )
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

const tokenOptions = (
  { storage, catalogue, limits, now }: AppOptions,
  idle: IdleConnections,
): TokenRouteOptions => ({
  idle,
  storage,
  applications: storage.applications,
  catalogue,
  attempts: new FailedAttempts({ failuresPerMinute: limits.failuresPerMinute, now }),
  lifetimeSeconds: limits.tokenLifetimeSeconds,
  now,
})

/**
 * Counts each refused request as one rejected record, unless its client has closed the connection:
 * that client sends it again.
 */
function countRejected(app: FastifyInstance, requests: RequestCounts): void {
  app.addHook('preSerialization', async ({ raw, routeOptions, security }, reply, payload) => {
    const isRefused = reply.statusCode === 400 || reply.statusCode === 413
    if (!isRefused || raw.socket.destroyed) return payload
    const message = memberOf(payload, 'message')
    const rejected = [{ index: 0, message: typeof message === 'string' ? message : '' }]
    const report = { accepted: 0, replaced: 0, rejected }
    requests.note(originOf(routeOptions.url), security?.key ?? '', report)
    return payload
  })
}

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
