import type { Server as HttpServer } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Logger } from 'pino'
import type { Cameras } from '../camera/cameras.ts'
import type { Commits } from '../commit/commits.ts'
import type { StationDerivation } from '../derivation/station-derivation.ts'
import type { AccessControl } from '../access/access-control.ts'
import type { ImportJobs } from '../ingest/imports/import-jobs.ts'
import type { ReadPoint } from '../ingest/line-protocol/point-mapping.ts'
import type { RecordIngest } from '../ingest/record-ingest.ts'
import type { RejectWriter } from '../ingest/rejects/reject-writer.ts'
import type { Replays } from '../ingest/rejects/replay.ts'
import type { RequestCounts } from '../ingest/rejects/request-counts.ts'
import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { EventFeed } from '../overview/event-feed.ts'
import type { StaleSettings } from '../overview/station-states.ts'
import type { Storage } from '../storage/storage.ts'
import type { Tracing } from '../tracing/tracing.ts'
import type { BodySettings } from './requests/bodies/body-reader.ts'
import type { NotificationRouteOptions } from './routes/notifications.ts'
import type { ServiceReport } from './routes/status.ts'
import type { Certificate } from './security/certificate.ts'
import type { SessionLimits } from './security/authenticate.ts'
import type { ConnectionLimits, GiveConnection } from './security/connection-limits.ts'
import type { Tiles } from './console/console.ts'

/** How an application shares its port with workers. */
export type PortSharing = {
  give: GiveConnection
  /** Accepts no further connections; resolves when those of this process and of the workers are closed. */
  close(server: HttpServer | HttpsServer): Promise<void>
}

/** What the HTTPS application needs from the service. */
export type AppOptions = {
  storage: Storage
  catalogue: CurrentCatalogue
  ingest: RecordIngest
  commits: Commits
  derivation: StationDerivation
  access: AccessControl
  certificate: Certificate
  /** The keys of TLS session tickets, which workers share; without them Node makes some. */
  ticketKeys?: Buffer | undefined
  /** Set where workers share the port. */
  sharing?: PortSharing | undefined
  cameras: Cameras
  /** Set where requests are traced. */
  tracing?: Tracing | undefined
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
    /** Wrong passwords of accounts. */
    signInFailuresPerMinute: number
    sessions: SessionLimits
    /** Bytes of the cache of responses with waveforms and spectra. */
    cacheBytes: number
    /** A waveform with more samples is not analysed. */
    analysisSamples: number
    /** Days that a change can be undone; 0: for ever. */
    keepChangesDays: number
  }
  sources: {
    readPoint: ReadPoint
    rejects: Pick<RejectWriter, 'add'>
    requests: RequestCounts
    replays: Replays
  }
  stale: StaleSettings
  feed: EventFeed
  imports: ImportJobs
  /** What the service says of itself. */
  report: ServiceReport
  notifications: Pick<NotificationRouteOptions, 'channels' | 'states'>
  trustedProxies: readonly string[]
  /** The address at which people reach the service; empty where it is not known. */
  publicUrl: string
  /** The server of map tiles of the console; an empty `url` where there is none. */
  tiles: Tiles
  /** `max-age` of Strict-Transport-Security; 0 leaves the header out. */
  hstsSeconds: number
  now(): number
}
