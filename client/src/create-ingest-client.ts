import type { IngestClient } from './clients.ts'
import { createCall } from './connection.ts'
import { bindMethods } from './endpoint.ts'
import { INGEST_ENDPOINTS } from './endpoints.ts'
import type { ConnectionOptions } from './options.ts'

export type IngestClientOptions = Omit<ConnectionOptions, 'timeZone' | 'credentials'> & {
  /** An ingest key, as `plumbline key create` prints it. */
  key: string
}

/** Creates a client of ingest; accepted records are stored durably when a call resolves. */
export function createIngestClient({ key, ...options }: IngestClientOptions): IngestClient {
  const header = async () => `Bearer ${key}`
  return bindMethods(INGEST_ENDPOINTS, createCall(options, '/ingest/v1', { header }))
}
