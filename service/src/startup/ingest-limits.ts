import type { Config } from '../config/settings.ts'
import type { ImportSettings } from '../ingest/files/run-import.ts'
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

/** What the settings say about imports. */
export const importSettings = (config: Config): ImportSettings => ({
  clockTolerance: config['ingest.clockToleranceSeconds'] * 1000,
  analysisSamples: config['vibration.maxAnalysisSamples'],
  rejects: rejectLimits(config),
  mostReservedBytes: config['ingest.maxReservedMegabytes'] * 2 ** 20,
  archives: {
    inflatedBytes: config['ingest.archives.maxInflatedMegabytes'] * 2 ** 20,
    ratio: config['ingest.archives.maxRatio'],
    members: config['ingest.archives.maxMembers'],
    depth: config['ingest.archives.maxDepth'],
  },
})
