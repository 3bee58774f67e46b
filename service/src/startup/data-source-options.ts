import type { TlsOptions } from 'node:tls'
import type { Logger } from 'pino'
import type { Config } from '../config/settings.ts'
import type { AccessControl } from '../access/access-control.ts'
import type { RecordIngest } from '../ingest/record-ingest.ts'
import type { RejectWriter } from '../ingest/rejects/reject-writer.ts'
import type { IngestKeyStore, LeaseStore } from '../storage/storage.ts'

/** What MQTT brokers as data sources and the embedded broker need. */
export type DataSourceOptions = {
  config: Config
  ingest: RecordIngest
  rejects: Pick<RejectWriter, 'add'>
  keys: Pick<IngestKeyStore, 'find'>
  leases: LeaseStore
  access: AccessControl
  /** TLS of the embedded broker. */
  tls: TlsOptions
  /** Connections that the embedded broker accepts. */
  brokerConnections: number
  log: Logger
}
