import type { Config } from '../config/settings.ts'
import { shareOfAddress } from '../domain/access/connection-share.ts'
import type { AppOptions } from '../http/app-options.ts'
import { BodyBudget } from '../http/requests/bodies/body-budget.ts'
import type { BodySettings } from '../http/requests/bodies/body-reader.ts'
import { jsonLimits } from './ingest-limits.ts'

/**
 * The limits of the interface; `connections` is the number that the process can open, `workers` are the
 * processes that share the memory for the cache.
 */
export const interfaceLimits = (
  config: Config,
  connections: number,
  workers: number,
): AppOptions['limits'] => ({
  requestTimeoutSeconds: config['http.requestTimeoutSeconds'],
  handshakeSeconds: config['http.handshakeSeconds'],
  stalledSeconds: config['http.stalledSeconds'],
  maxBodyBytes: Math.floor(config['http.maxBodyMegabytes'] * 2 ** 20),
  bodies: bodySettings(config),
  connections: {
    connections,
    connectionsPerAddress: shareOfAddress(
      config['http.maxConnectionsPerAddress'],
      connections,
      config['http.maxConnections'],
    ),
  },
  tokenLifetimeSeconds: config['tokens.lifetimeDays'] * 86_400,
  failuresPerMinute: config['tokens.failuresPerMinute'],
  signInFailuresPerMinute: config['accounts.failuresPerMinute'],
  sessions: {
    idleMilliseconds: config['accounts.idleHours'] * 3_600_000,
    longestMilliseconds: config['accounts.sessionDays'] * 86_400_000,
  },
  keepChangesDays: config['ingest.keepChangesDays'],
  analysisSamples: config['vibration.maxAnalysisSamples'],
  cacheBytes: Math.floor((config['vibration.cacheMegabytes'] * 2 ** 20) / workers),
})

const bodySettings = (config: Config): BodySettings => ({
  budget: new BodyBudget({
    // The largest body fits into the budget.
    bytes: Math.max(config['http.bodyBudgetMegabytes'], config['http.maxBodyMegabytes']) * 2 ** 20,
  }),
  ratio: config['http.maxInflationRatio'],
  json: jsonLimits(config),
})
