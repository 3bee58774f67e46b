import { bindMethods, type Methods } from './endpoint.ts'
import { ingest } from './ingest.ts'
import { toRequest } from './request.ts'
import { createSend, type Fetch } from './send.ts'

export type IngestClientOptions = {
  /** What precedes every path: `https://host:8443/ingest/v1`. */
  baseUrl: string
  /** An ingest key, as `plumbline key create` prints it. */
  key: string
  /** Replaces the global `fetch`. */
  fetch?: Fetch | undefined
}

export const WRITING = ingest

export type IngestClient = Methods<typeof WRITING>

/** Makes a client that stores records; a call that returns has its accepted records on disk. */
export function createIngestClient({ baseUrl, key, fetch }: IngestClientOptions): IngestClient {
  const send = createSend(baseUrl, fetch)
  return bindMethods(WRITING, (wire, input, options) =>
    send(toRequest(wire, input), `Bearer ${key}`, options),
  )
}
