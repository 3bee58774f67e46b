import type { Logger } from 'pino'
import type { Config } from '../config/settings.ts'
import type { AccessControl } from '../access/access-control.ts'
import { buildApp } from '../http/app.ts'
import type { AppOptions } from '../http/app-options.ts'
import type { Certificate } from '../http/security/certificate.ts'
import { compilePointMappings } from '../ingest/line-protocol/point-mapping.ts'
import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import { collectReplays } from './collect-replays.ts'
import { interfaceLimits } from './interface-limits.ts'
import type { openRecords } from './open-records.ts'

type Interface = Awaited<ReturnType<typeof buildApp>>

const LAST_RESPONSES_MILLISECONDS = 10_000

type InterfaceOptions = {
  config: Config
  cameras: AppOptions['cameras']
  storage: Storage
  catalogue: CurrentCatalogue
  records: ReturnType<typeof openRecords>
  notifications: AppOptions['notifications']
  feed: AppOptions['feed']
  report: AppOptions['report']
  imports: AppOptions['imports']
  access: AccessControl
  certificate: Certificate
  /** Connections that the interface accepts. */
  connections: number
  /** Processes that serve the interface. */
  workers: number
  ticketKeys: AppOptions['ticketKeys']
  sharing: AppOptions['sharing']
  tracing: AppOptions['tracing']
  log: Logger
  now(): number
}

/** Builds the application of the interface. */
export async function openInterface({
  config,
  records: { commits, derivation, ingest, rejects, requests },
  connections,
  workers,
  ...options
}: InterfaceOptions): Promise<Interface> {
  return buildApp({
    ...options,
    ingest,
    commits,
    derivation,
    limits: interfaceLimits(config, connections, workers),
    sources: {
      readPoint: compilePointMappings(config['ingest.lineProtocol']),
      rejects,
      requests,
      replays: collectReplays(config, { ingest, data: options.storage.records }),
    },
    stale: {
      staleAfter: config['overview.staleAfter'],
      staleHours: config['overview.staleHours'],
    },
    trustedProxies: config['http.trustedProxies'],
    publicUrl: config['http.publicUrl'],
    tiles: { url: config['console.tiles'], attribution: config['console.tilesAttribution'] },
    hstsSeconds: config['http.hstsSeconds'],
  })
}

/** Closes the application after the responses under way, at the latest after ten seconds. */
export async function closeInterface(app: Interface): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), LAST_RESPONSES_MILLISECONDS)
  await app.close()
  clearTimeout(timer)
}
