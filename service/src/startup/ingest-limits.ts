import type { Config } from '../config/settings.ts'
import type { JsonLimits } from '../json/json-scan.ts'
import type { RejectLimits } from '../storage/storage.ts'

/** The limits of JSON in bodies and messages. */
export const jsonLimits = (config: Config): JsonLimits => ({
  depth: config['http.maxJsonDepth'],
  members: config['http.maxJsonMembers'],
})

/** How many rejects are kept. */
export const rejectLimits = (config: Config): RejectLimits => ({
  records: config['ingest.keepRejects'],
  sourceBytes: config['ingest.keepRejectedMegabytesPerSource'] * 2 ** 20,
  bytes: config['ingest.keepRejectedMegabytes'] * 2 ** 20,
})
