import { Server } from 'node:https'
import type { SecureContextOptions } from 'node:tls'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { playerPage, type PlayerPage } from './camera/player-page.ts'
import { ClockMonitor } from './clock/clock-monitor.ts'
import type { Config } from './config/settings.ts'
import type { ContinuousCopyState } from './backup/continuous/copy-state.ts'
import { startOps } from './http/operations/health.ts'
import type { ServiceStates } from './http/operations/metrics.ts'
import { secureContext } from './http/security/certificate.ts'
import { monitorCertificate } from './http/security/certificate-monitor.ts'
import { holdableConnections } from './http/security/holdable-connections.ts'
import { listAhead } from './ingest/records/clock-state.ts'
import { diskSpaceOf, startDiskMonitor } from './startup/disk-monitor.ts'
import { listenBy, listeningHost, urlOf } from './startup/listening.ts'
import { EventFeed } from './overview/event-feed.ts'
import { NewestChanges } from './overview/newest-changes.ts'
import { openAccess } from './startup/open-access.ts'
import { openCameras } from './startup/open-cameras.ts'
import { openCertificate } from './startup/open-certificate.ts'
import { openImports } from './startup/open-imports.ts'
import { closeInterface, openInterface } from './startup/open-interface.ts'
import { openOutbox, type OutboxRhythm } from './startup/open-outbox.ts'
import { openRecords } from './startup/open-records.ts'
import { openTracing, traceStorage } from './startup/open-tracing.ts'
import { startBackgroundJobs, type JobRhythm } from './startup/start-jobs.ts'
import { startDataSources } from './startup/start-data-sources.ts'
import { startRemovingKept } from './startup/start-removing-kept.ts'
import { startStorageMonitor } from './startup/storage-monitor.ts'
import { usesPostgres } from './startup/storage-settings.ts'
import { startWatching } from './startup/start-watching.ts'
import { openCatalogue } from './storage/current-catalogue.ts'
import type { Storage } from './storage/storage.ts'
import { openWorkers } from './workers/open-workers.ts'

const CERTIFICATE_CHECK_MILLISECONDS = 10_000

const WORKER_PROGRAM = fileURLToPath(new URL('./worker.ts', import.meta.url))

export type Service = AsyncDisposable & {
  /** The base of every address, such as `https://localhost:8443`. */
  readonly origin: string
  /** The addresses that are listened on, for the log. */
  readonly addresses: { interface: string; operations: string }
  readonly certificateFile: string
  /** A page that plays a camera for a day, in the name of a user. */
  playerPage(camera: number, user: number): Promise<PlayerPage>
}

export type ServiceOptions = JobRhythm &
  OutboxRhythm & {
    config: Config
    dataFolder: string
    /** The settings file that was read, for processes that the service starts. */
    settingsFile?: string | undefined
    storage: Storage
    log: Logger
    /** Writes a line of a worker to the log. */
    writeLogLine?(line: string): void
    /** The state of the continuous copy, where there is one. */
    continuousCopy?: (() => ContinuousCopyState) | undefined
    /** How many log lines could not be written. */
    lostLogLines?(): number
    now?(): number
    /** Uptime in milliseconds, by a monotonic clock. */
    monotonic?: (() => number) | undefined
    /** The interval of checks of the certificate's files. */
    certificateCheckMilliseconds?: number
    /** The interval of the expiry of positions of deleted files. */
    expirePositionsMilliseconds?: number | undefined
  }

/** Opens all parts in order. They are closed in reverse order, also when opening fails. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, dataFolder, log, now = Date.now } = options
  await using stack = new AsyncDisposableStack()

  const tracing = stack.use(await openTracing(config, log))
  const storage = traceStorage(tracing, options.storage)
  stack.use(startStorageMonitor(storage, log))
  const disk = diskSpaceOf(dataFolder, config)
  stack.use(startDiskMonitor(disk, log))
  const catalogue = openCatalogue(storage.site)
  const access = stack.use(openAccess({ config, log, now }))
  const clock = stack.use(
    await ClockMonitor.open({
      storage,
      log,
      toleranceHours: config['retention.maxClockJumpHours'],
      now,
      monotonic: options.monotonic,
      everyMilliseconds: options.clockMilliseconds,
    }),
  )
  const records = stack.use(
    openRecords({ config, storage, catalogue, clock, disk, tracing, log, now }),
  )
  const findIntakeProblem = () => clock.findProblem() ?? disk.findProblem()
  const { behind, commits, ingest, rejects, requests } = records
  const notifications = stack.use(
    await openOutbox({ ...options, storage, tracing }, catalogue, () => clock.trustedNow()),
  )
  const imports = stack.use(openImports({ config, dataFolder, storage, clock, disk, log, now }))
  const { files, certificate } = await openCertificate({ config, dataFolder, clock, log, now })
  const connections = await holdableConnections(
    {
      interface: config['http.maxConnections'],
      broker: config['ingest.broker.port'] === 0 ? 0 : config['ingest.broker.maxConnections'],
    },
    log,
  )
  const cameras = stack.use(await openCameras({ config, dataFolder, storage, catalogue, log, now }))
  const workers = openWorkers({
    program: WORKER_PROGRAM,
    config,
    dataFolder,
    tls: secureContext(certificate),
    security: access.security,
    log,
    writeLogLine: options.writeLogLine ?? (() => {}),
    clockBehind: () => clock.knownNow() - now(),
  })
  const { pool } = workers
  stack.use(pool)
  const feed = stack.use(
    new EventFeed({
      storage,
      newest: new NewestChanges({
        records: storage.records,
        catalogue,
        horizon: () => commits.horizon(),
      }),
      log,
    }),
  )
  const { promise: states, resolve: setStates } = Promise.withResolvers<ServiceStates>()
  const app = stack.adopt(
    await openInterface({
      config,
      cameras,
      storage,
      catalogue,
      records,
      notifications,
      feed,
      imports,
      report: {
        states,
        findIntakeProblem,
        engine: usesPostgres(config) ? 'PostgreSQL' : 'SQLite',
        startedAt: now(),
      },
      access,
      certificate,
      connections: connections.interface,
      workers: workers.count,
      sharing: pool,
      ticketKeys: pool?.ticketKeys,
      tracing,
      log,
      now,
    }),
    closeInterface,
  )
  const sources = stack.use(
    await startDataSources({
      config,
      ingest,
      rejects,
      keys: storage.ingestKeys,
      leases: storage.leases,
      access,
      tls: secureContext(certificate),
      brokerConnections: connections.broker,
      log,
    }),
  )
  const jobs = stack.use(
    startBackgroundJobs({
      ...options,
      storage,
      tracing,
      catalogue,
      commits,
      now,
      clock,
      findIntakeProblem,
    }),
  )
  const monitor = stack.use(
    await monitorCertificate({
      files,
      log,
      now,
      isClockConfirmed: () => clock.isConfirmed(),
      everyMilliseconds: options.certificateCheckMilliseconds ?? CERTIFICATE_CHECK_MILLISECONDS,
      use(context) {
        if (app.server instanceof Server) setContext(app.server, context, pool?.ticketKeys)
        pool?.setSecureContext(context)
        sources.setSecureContext(context)
      },
    }),
  )
  const folders = stack.use(
    await startWatching({
      config,
      dataFolder,
      ingest,
      storage,
      rejects,
      log,
      isSuspended: () => findIntakeProblem() !== undefined,
      expiryMilliseconds: options.expirePositionsMilliseconds,
    }),
  )
  if (!usesPostgres(config))
    stack.use(
      startRemovingKept({
        folder: dataFolder,
        storage,
        findProblem: findIntakeProblem,
        log,
        keepMinutes: config['storage.keepBeforeUpgradeMinutes'],
      }),
    )
  const measured: ServiceStates = {
    folders: folders.states,
    sources: () => [...requests.states(), ...sources.states()],
    channels: notifications.states,
    retention: () => ({ clock: clock.state(), withheld: jobs.withheld() }),
    lostLogLines: options.lostLogLines ?? (() => 0),
    disk: () => disk.state(),
    clocks: async () => ({
      waiting: await storage.earlyRecords.countWaiting(),
      sources: await listAhead(storage.earlyRecords, await catalogue(), now()),
      behind: behind.list(await catalogue(), now()),
    }),
    certificateEndsAt: monitor.endsAt,
    securityEvents: () => access.security.counts(),
    sealing: jobs.sealing,
    scheduledBackup: jobs.backup,
    cameras: cameras.state,
    workers: workers.measure,
    continuousCopy: options.continuousCopy ?? (() => undefined),
  }
  setStates(measured)
  const opsHost = await listeningHost(config['ops.host'])
  if (config['ops.port'] !== 0)
    stack.use(
      await listenBy(
        'ops',
        startOps({
          host: opsHost,
          port: config['ops.port'],
          storage,
          findIntakeProblem,
          app,
          states: measured,
        }),
      ),
    )

  await app.ready()
  await pool?.start(app.server)
  const host = await listeningHost(config['http.host'])
  await listenBy('http', app.listen({ host, port: config['http.port'] }))
  const address = app.server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port')
  const services = stack.move()
  const origin = urlOf('https', hostForClients(host), address.port)
  return {
    origin,
    addresses: {
      interface: app
        .addresses()
        .map((one) => (typeof one === 'string' ? one : urlOf('https', one.address, one.port)))
        .join(', '),
      operations: config['ops.port'] === 0 ? 'off' : urlOf('http', opsHost, config['ops.port']),
    },
    certificateFile: files.certificate,
    playerPage: (camera, user) =>
      playerPage(cameras, { catalogue, camera, user }, { origin, now: now() }),
    [Symbol.asyncDispose]: () => services.disposeAsync(),
  }
}

/** Sets the certificate of new connections; clients still resume the sessions that they have. */
function setContext(server: Server, context: SecureContextOptions, ticketKeys?: Buffer): void {
  server.setSecureContext(context)
  if (ticketKeys !== undefined) server.setTicketKeys(ticketKeys)
}

const LOCAL = new Set(['0.0.0.0', '::', '127.0.0.1', '::1'])

/** The host of addresses for clients: `localhost` for a server that listens on all addresses. */
const hostForClients = (host: string): string => (LOCAL.has(host) ? 'localhost' : host)
