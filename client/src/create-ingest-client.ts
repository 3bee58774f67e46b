import { bindMethods, type EndpointsBelow, type Methods } from './endpoint.ts'
import { ingest } from './ingest.ts'
import { toRequest } from './request.ts'
import { createSend, type Fetch } from './send.ts'

export type IngestClientOptions = {
  /** The base address of all paths: `https://host:8443/ingest/v1`. */
  baseUrl: string
  /** An ingest key, as `plumbline key create` prints it. */
  key: string
  /** Replaces the global `fetch`. */
  fetch?: Fetch | undefined
}

export const INGEST_ENDPOINTS = ingest satisfies EndpointsBelow<'/ingest/v1'>

export type IngestClient = Methods<typeof INGEST_ENDPOINTS>

/** Creates a client of ingest; accepted records are stored durably when a call resolves. */
export function createIngestClient({ baseUrl, key, fetch }: IngestClientOptions): IngestClient {
  const send = createSend(baseUrl, fetch)
  return bindMethods(INGEST_ENDPOINTS, (wire, input, options) =>
    send(toRequest(wire, input), `Bearer ${key}`, options),
  )
}
