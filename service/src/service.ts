import { randomInt } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { Server } from 'node:https'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { AlarmEvaluator } from './alarms/alarm-evaluator.ts'
import { Commits } from './commit/commits.ts'
import { StationDerivation } from './derivation/station-derivation.ts'
import type { Config } from './config/settings.ts'
import { openAccess } from './startup/open-access.ts'
import { listenBy } from './startup/listening.ts'
import { buildApp } from './http/app.ts'
import {
  ensureCertificate,
  readCertificate,
  secureContext,
  type CertificateFiles,
} from './http/security/certificate.ts'
import { monitorCertificate, renewByClock } from './http/security/certificate-monitor.ts'
import { holdableConnections } from './http/security/holdable-connections.ts'
import { startOps } from './http/operations/ops.ts'
import { Backfill } from './ingest/records/backfill.ts'
import { BehindSources } from './ingest/records/behind-sources.ts'
import { listAhead } from './ingest/records/clock-state.ts'
import { IngestClock } from './ingest/records/ingest-clock.ts'
import { RecordIngest } from './ingest/record-ingest.ts'
import { EarlySources } from './ingest/records/early-sources.ts'
import { compilePointMappings } from './ingest/line-protocol/point-mapping.ts'
import { RequestCounts } from './ingest/rejects/request-counts.ts'
import { RejectWriter } from './ingest/rejects/reject-writer.ts'
import { collectReplays } from './startup/collect-replays.ts'
import { rejectLimits } from './startup/ingest-limits.ts'
import { startIngest } from './startup/start-ingest.ts'
import { startWatching } from './startup/start-watching.ts'
import { startBackgroundJobs, type JobRhythm } from './startup/start-jobs.ts'
import { interfaceLimits } from './startup/interface-limits.ts'
import { openOutbox, type OutboxRhythm } from './startup/start-notifications.ts'
import { ClockMonitor } from './clock/clock-monitor.ts'
import { ensureSecret } from './startup/secrets.ts'
import { openCatalogue } from './storage/current-catalogue.ts'
import type { Storage } from './storage/storage.ts'
import { startStorageMonitor } from './startup/storage-monitor.ts'

const CERTIFICATE_CHECK_MILLISECONDS = 10_000
const LAST_RESPONSES_MILLISECONDS = 10_000

export type Service = AsyncDisposable & {
  /** The base of every address, such as `https://localhost:8443`. */
  readonly origin: string
  readonly certificateFile: string
}

export type ServiceOptions = JobRhythm &
  OutboxRhythm & {
    config: Config
    dataFolder: string
    storage: Storage
    log: Logger
    /** How many lines the log has lost. */
    lostLogLines?(): number
    now?(): number
    /** Running time in milliseconds, by a clock that nobody sets. */
    monotonic?: (() => number) | undefined
    /** How often the certificate's files are looked at. */
    certificateCheckMilliseconds?: number
    /** How often it is looked for files that are gone, to forget how far they were read. */
    forgetPositionsMilliseconds?: number | undefined
  }

/** Opens everything in order; what opens last closes first, even when opening fails half way. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, dataFolder, storage, log, now = Date.now } = options
  const { certificateCheckMilliseconds = CERTIFICATE_CHECK_MILLISECONDS } = options
  await using stack = new AsyncDisposableStack()

  stack.use(startStorageMonitor(storage, log))
  const catalogue = openCatalogue(storage.site)
  const access = stack.use(openAccess({ config, log, now }))
  const clockTolerance = config['ingest.clockToleranceSeconds'] * 1000
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
  const writer = randomInt(2 ** 47)
  const evaluator = new AlarmEvaluator({
    storage,
    writer,
    now: () => clock.knownNow(),
    clockTolerance,
  })
  const commits = new Commits({ storage, evaluator })
  const derivation = new StationDerivation({ data: storage.records, commits })
  const behind = stack.use(new BehindSources(Date.parse(config['ingest.earliestTime']), log))
  const ingest = stack.use(
    RecordIngest.open({
      storage,
      catalogue,
      clock: new IngestClock({ now, requireClock: () => clock.requireClock(), behind }),
      commits,
      derivation,
      backfill: new Backfill({
        oldMilliseconds: config['ingest.backfillMinutes'] * 60_000,
        manyRecords: config['ingest.backfillRecords'],
      }),
      early: new EarlySources(storage, clockTolerance),
      analysisSamples: config['vibration.maxAnalysisSamples'],
    }),
  )
  const rejects = stack.use(
    new RejectWriter({ store: storage.rejects, keep: rejectLimits(config), log }),
  )
  const requests = stack.use(new RequestCounts(log))
  const notifications = stack.use(await openOutbox(options, catalogue, () => clock.trustedNow()))
  const own = ownCertificate(config)
  const files = await ensureCertificate(dataFolder, own, now())
  const isClockConfirmed = () => clock.isConfirmed()
  await renewByClock({ files, log, now, isClockConfirmed })
  const hasBroker = config['ingest.broker.port'] !== 0
  const connections = await holdableConnections(
    {
      interface: config['http.maxConnections'],
      broker: hasBroker ? config['ingest.broker.maxConnections'] : 0,
    },
    log,
  )
  const app = stack.adopt(
    await buildApp({
      storage,
      catalogue,
      ingest,
      commits,
      derivation,
      access,
      certificate: await readCertificate(files),
      media: {
        addresses: {
          hls: config['media.hls'],
          rtmp: config['media.rtmp'],
          flv: config['media.flv'],
        },
        secret: await ensureSecret(dataFolder, 'playback'),
      },
      log,
      limits: interfaceLimits(config, connections.interface),
      sources: {
        readPoint: compilePointMappings(config['ingest.lineProtocol']),
        rejects,
        requests,
        replays: collectReplays(config, { ingest, data: storage.records }),
      },
      notifications,
      trustedProxies: config['http.trustedProxies'],
      hstsSeconds: config['http.hstsSeconds'],
      now,
    }),
    closeApp,
  )

  const sources = stack.use(
    await startIngest({
      config,
      ingest,
      rejects,
      keys: storage.ingestKeys,
      leases: storage.leases,
      access,
      tls: secureContext(await readCertificate(files)),
      brokerConnections: connections.broker,
      log,
    }),
  )
  const jobs = stack.use(startBackgroundJobs({ ...options, catalogue, commits, now, clock }))
  const certificate = stack.use(
    await monitorCertificate({
      files,
      log,
      now,
      isClockConfirmed,
      everyMilliseconds: certificateCheckMilliseconds,
      use(context) {
        ;(app.server as unknown as Server).setSecureContext(context)
        sources.setSecureContext(context)
      },
    }),
  )
  const { forgetPositionsMilliseconds: expiryMilliseconds } = options
  const isSuspended = (): boolean => clock.findProblem() !== undefined
  const watching = {
    config,
    dataFolder,
    ingest,
    storage,
    rejects,
    log,
    isSuspended,
    expiryMilliseconds,
  }
  const folders = stack.use(await startWatching(watching))
  if (config['ops.port'] !== 0)
    stack.use(
      await listenBy(
        'ops',
        startOps({
          host: config['ops.host'],
          port: config['ops.port'],
          storage,
          clock,
          app,
          states: {
            folders: folders.states,
            sources: () => [...requests.states(), ...sources.states()],
            channels: notifications.states,
            retention: () => ({ clock: clock.state(), withheld: jobs.withheld() }),
            lostLogLines: options.lostLogLines ?? (() => 0),
            clocks: async () => ({
              waiting: await storage.earlyRecords.countWaiting(),
              sources: await listAhead(storage.earlyRecords, await catalogue(), now()),
              behind: behind.list(await catalogue(), now()),
            }),
            certificateEndsAt: certificate.endsAt,
            securityEvents: () => access.security.counts(),
          },
        }),
      ),
    )

  await listenBy('http', app.listen({ host: config['http.host'], port: config['http.port'] }))
  const { port } = app.server.address() as AddressInfo
  const services = stack.move()
  return {
    origin: `https://${hostInAddress(config['http.host'])}:${port}`,
    certificateFile: files.certificate,
    [Symbol.asyncDispose]: () => services.disposeAsync(),
  }
}

/** Lets answers under way end, but not for ever: a client may have stopped reading. */
async function closeApp(app: FastifyInstance): Promise<void> {
  const last = setTimeout(() => app.server.closeAllConnections(), LAST_RESPONSES_MILLISECONDS)
  await app.close()
  clearTimeout(last)
}

const ownCertificate = (config: Config): CertificateFiles | undefined =>
  config['http.certificate'] === ''
    ? undefined
    : { certificate: config['http.certificate'], key: config['http.key'], isOperators: true }

/** An address that listens everywhere is reached by the machine's own name. */
function hostInAddress(host: string): string {
  if (host === '0.0.0.0' || host === '::' || host === '127.0.0.1' || host === '::1')
    return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
