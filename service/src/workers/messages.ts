import type { SecureContextOptions } from 'node:tls'
import type { Config } from '../config/settings.ts'
import type { SecurityEvent } from '../domain/access/security-events.ts'
import type { SecurityDetails } from '../domain/access/security-log.ts'
import type { MetricValues } from '../http/operations/merged-metrics.ts'

/** Where a worker passes requests on, and the key that proves that it is a worker. */
export type ChannelAddress = { path: string; key: string }

/** Everything that a worker needs to serve. */
export type WorkerStart = {
  /** Its number; 1 is the first process. */
  worker: number
  /** All processes that serve, the first one too. */
  workers: number
  config: Config
  dataFolder: string
  tls: SecureContextOptions
  ticketKeys: Buffer
  channel: ChannelAddress
  /** The address of a server that nobody connects to: its connections come from the first process. */
  listen: string
  /** How many milliseconds the clock is behind the time that is known. */
  clockBehind: number
}

/** A message of the first process to a worker; a connection comes with its socket. */
export type ToWorker =
  | { kind: 'start'; start: WorkerStart }
  | { kind: 'connection'; id: number }
  | { kind: 'certificate'; tls: SecureContextOptions }
  | { kind: 'clock'; clockBehind: number }
  | { kind: 'measure'; id: number }
  | { kind: 'stop' }

/** What a worker measures of itself. */
export type WorkerMeasurement = {
  metrics: MetricValues
  memoryBytes: number
  cpuSeconds: number
}

/** A message of a worker to the first process. */
export type FromWorker =
  | { kind: 'ready' }
  /** A connection of the first process has arrived; the next one may come. */
  | { kind: 'taken' }
  /** A connection that the first process gave is closed. */
  | { kind: 'closed'; id: number }
  | { kind: 'security'; event: SecurityEvent; details: SecurityDetails }
  | { kind: 'log'; line: string }
  | { kind: 'measured'; id: number; measurement: WorkerMeasurement }
