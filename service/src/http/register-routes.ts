import type { FastifyInstance } from 'fastify'
import type { AccessControl } from '../access/access-control.ts'
import { SignInThrottle } from '../access/sign-in-throttle.ts'
import { Throttle } from '../access/throttle.ts'
import type { RequestCounts } from '../ingest/rejects/request-counts.ts'
import { StationStates } from '../overview/station-states.ts'
import type { AppCore, ReadStorage } from './app-core.ts'
import type { AppOptions } from './app-options.ts'
import { memberOf } from './requests/member-of.ts'
import { accountRoutes } from './routes/accounts.ts'
import { alarmListRoutes } from './routes/alarm-lists.ts'
import { alarmManageRoutes, alarmRoutes } from './routes/alarms.ts'
import { analysisRoutes } from './routes/analysis.ts'
import { applicationRoutes } from './routes/applications.ts'
import { auditRoutes } from './routes/audit.ts'
import { cameraManageRoutes, cameraRoutes } from './routes/cameras.ts'
import { cameraControlRoutes } from './routes/camera-control.ts'
import { changeRoutes } from './routes/changes.ts'
import { clockRoutes } from './routes/clocks.ts'
import { dataRoutes } from './routes/data.ts'
import { derivationRoutes } from './routes/derivation.ts'
import { eventRoutes } from './routes/events.ts'
import { importRoutes } from './routes/imports.ts'
import { ingestRoutes, originOf } from './routes/ingest.ts'
import { keyRoutes } from './routes/keys.ts'
import { lineProtocolRoutes } from './routes/line-protocol.ts'
import { mediaServerHookRoutes } from './routes/media-server-hooks.ts'
import { notificationRoutes } from './routes/notifications.ts'
import { overviewRoutes } from './routes/overview.ts'
import { portraitFileRoutes, portraitRoutes } from './routes/portraits.ts'
import { qualityRoutes } from './routes/quality.ts'
import { readingRoutes } from './routes/readings.ts'
import { recordRoutes } from './routes/records.ts'
import { rejectRoutes } from './routes/rejects.ts'
import { seriesRoutes } from './routes/series.ts'
import { sessionRoutes, signInRoutes } from './routes/sessions.ts'
import { siteRoutes } from './routes/site.ts'
import { statusRoutes } from './routes/status.ts'
import { streamRoutes } from './routes/streams.ts'
import { structureRoutes } from './routes/structures.ts'
import { thresholdManageRoutes, thresholdRoutes } from './routes/thresholds.ts'
import { tokenRoutes, type TokenRouteOptions } from './routes/tokens.ts'
import { trafficManageRoutes, trafficRoutes } from './routes/traffic.ts'
import { vibrationRoutes } from './routes/vibration.ts'
import { requireKey, requireSession, requireToken } from './security/access.ts'
import { installAudit } from './security/audit.ts'
import { PasswordChecks } from './security/password-checks.ts'

type RouteOptions = AppOptions & Omit<AppCore, 'app'>

/** What the operations that only read data need. */
type DataOptions = Pick<AppCore, 'idle' | 'tokens' | 'source' | 'cache' | 'analyse' | 'points'> & {
  storage: ReadStorage
  access: AccessControl
  publicUrl: string
}

/** Where the operations of the interface are. */
export const INTERFACE = '/api/v1'

/** Registers the routes of the interface, of ingest and of management. */
export async function registerRoutes(app: FastifyInstance, options: RouteOptions): Promise<void> {
  await registerInterface(app, options)
  await registerIngest(app, options)
  await registerManagement(app, options)
  await registerFiles(app, options)
  await app.register(streamRoutes, options.cameras)
  await app.register(mediaServerHookRoutes, { prefix: '/streams/hooks', ...options.cameras })
}

async function registerInterface(app: FastifyInstance, options: RouteOptions): Promise<void> {
  const { cameras, publicUrl, now } = options
  await app.register(
    async (api) => {
      await api.register(tokenRoutes, tokenOptions(options))
      await api.register(async (data) => {
        await registerData(data, options)
        await data.register(cameraRoutes, { ...cameras, publicUrl, now })
      })
    },
    { prefix: INTERFACE },
  )
}

/** Registers the operations of the interface that a worker can answer: they read stored data. */
export async function registerReading(app: FastifyInstance, options: DataOptions): Promise<void> {
  await app.register((data) => registerData(data, options), { prefix: INTERFACE })
}

async function registerData(data: FastifyInstance, options: DataOptions): Promise<void> {
  const { storage, access, idle, publicUrl, tokens, source, cache, analyse, points } = options
  requireToken(data, tokens, { access, idle, publicUrl })
  await data.register(structureRoutes)
  await data.register(dataRoutes, { storage, source })
  await data.register(trafficRoutes, { storage })
  await data.register(vibrationRoutes, { storage, cache, analyse, points })
  await data.register(thresholdRoutes)
  await data.register(alarmRoutes, { storage })
}

async function registerIngest(app: FastifyInstance, options: RouteOptions): Promise<void> {
  const { storage, ingest, access, idle, bodies, sources, limits } = options
  await app.register(
    async (ingestApp) => {
      requireKey(ingestApp, storage.ingestKeys, { access, idle })
      ingestApp.addHook('onRoute', (route) => {
        route.bodyLimit = limits.maxBodyBytes
      })
      countRejected(ingestApp, sources.requests)
      await ingestApp.register(ingestRoutes, { ingest, bodies, requests: sources.requests })
      await ingestApp.register(lineProtocolRoutes, { ...sources, ingest, bodies })
    },
    { prefix: '/ingest/v1' },
  )
}

async function registerManagement(app: FastifyInstance, options: RouteOptions): Promise<void> {
  const { storage, now } = options
  await app.register(
    async (manage) => {
      installAudit(manage, { audit: storage.audit, now })
      await registerSessions(manage, options)
      await manage.register((byToken) => registerManaging(byToken, options))
    },
    { prefix: '/manage/v1' },
  )
}

async function registerSessions(manage: FastifyInstance, options: RouteOptions): Promise<void> {
  const { storage, catalogue, access, idle, tokens, limits, publicUrl, now } = options
  const failuresPerMinute = limits.signInFailuresPerMinute
  const routeOptions = {
    storage,
    audit: storage.audit,
    catalogue,
    passwords: new PasswordChecks(),
    throttle: new SignInThrottle({ failuresPerMinute, now }),
    sessionLimits: limits.sessions,
    now,
  }
  const linkThrottle = new Throttle({ failuresPerMinute, now })
  await manage.register(signInRoutes, { ...routeOptions, linkThrottle, idle, publicUrl })
  await manage.register(async (signedIn) => {
    requireSession(signedIn, tokens, { access, idle, publicUrl })
    await signedIn.register(sessionRoutes, routeOptions)
  })
}

async function registerManaging(manage: FastifyInstance, options: RouteOptions): Promise<void> {
  const {
    storage,
    ingest,
    commits,
    derivation,
    access,
    idle,
    tokens,
    sources,
    cache,
    analyse,
    now,
    source,
    catalogue,
    notifications,
    cameras,
    publicUrl,
  } = options
  const { horizon } = source
  const stationStates = new StationStates({ ...options.stale, storage, horizon, now })
  const deletion = { catalogue, storage, commits, derivation }
  requireToken(manage, tokens, { access, idle, publicUrl })
  await manage.register(overviewRoutes, { states: stationStates, storage })
  await manage.register(eventRoutes, { feed: options.feed, storage, now })
  await manage.register(portraitRoutes, { storage, bodies: options.bodies })
  await manage.register(trafficManageRoutes, { storage })
  await manage.register(seriesRoutes, { storage })
  await manage.register(readingRoutes, { ingest, readings: storage.manualReadings, horizon })
  await manage.register(thresholdManageRoutes, { storage })
  await manage.register(cameraControlRoutes, cameras)
  await manage.register(alarmListRoutes, { storage, commits, now: () => commits.now() })
  await manage.register(alarmManageRoutes, {
    storage,
    commits,
    now: () => commits.now(),
  })
  await manage.register(derivationRoutes, { derivation, ingest, storage })
  await manage.register(recordRoutes, { deletion, ingest, commits, storage })
  await manage.register(qualityRoutes, { marking: deletion, commits, storage, ingest })
  await manage.register(rejectRoutes, {
    rejects: storage.rejects,
    replays: sources.replays,
  })
  await manage.register(analysisRoutes, { storage, cache, analyse, horizon })
  await manage.register(clockRoutes, { storage, behind: ingest.clock.behind, now, horizon })
  await manage.register(cameraManageRoutes, cameras)
  await manage.register(notificationRoutes, { ...notifications, storage, now })
  await manage.register(accountRoutes, { storage, publicUrl, now })
  await manage.register(auditRoutes, { storage })
  await registerRunning(manage, options)
}

/** Registers the operations by which a site is run. */
async function registerRunning(
  manage: FastifyInstance,
  { storage, commits, report, imports, bodies, limits, now }: RouteOptions,
): Promise<void> {
  await manage.register(siteRoutes, { storage, now })
  await manage.register(statusRoutes, { storage, report, now })
  await manage.register(applicationRoutes, { storage, now })
  await manage.register(keyRoutes, { storage, now })
  await manage.register(importRoutes, { imports, bodies, audit: storage.audit, now })
  await manage.register(changeRoutes, {
    storage,
    commits,
    keepChangesDays: limits.keepChangesDays,
  })
}

/** Registers what is served as files to those who may see it. */
async function registerFiles(app: FastifyInstance, options: RouteOptions): Promise<void> {
  const { storage, access, idle, tokens, publicUrl } = options
  await app.register(
    async (files) => {
      requireToken(files, tokens, { access, idle, publicUrl })
      await files.register(portraitFileRoutes, { storage })
    },
    { prefix: '/files' },
  )
}

const tokenOptions = ({
  idle,
  storage,
  catalogue,
  limits,
  now,
}: RouteOptions): TokenRouteOptions => ({
  idle,
  storage,
  applications: storage.applications,
  catalogue,
  throttle: new Throttle({ failuresPerMinute: limits.failuresPerMinute, now }),
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
