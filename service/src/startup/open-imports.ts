import type { Logger } from 'pino'
import type { ClockMonitor } from '../clock/clock-monitor.ts'
import type { Config } from '../config/settings.ts'
import { ImportJobs } from '../ingest/imports/import-jobs.ts'
import type { DiskSpace } from '../storage/disk-space.ts'
import type { Storage } from '../storage/storage.ts'
import { importSettings } from './ingest-limits.ts'

type ImportPartsOptions = {
  config: Config
  dataFolder: string
  storage: Storage
  clock: ClockMonitor
  disk: DiskSpace
  log: Logger
  now(): number
}

/** Opens the imports of files that clients send. */
export const openImports = ({ config, clock, disk, ...options }: ImportPartsOptions): ImportJobs =>
  new ImportJobs({
    ...options,
    settings: importSettings(config),
    maxBytes: config['ingest.maxImportMegabytes'] * 2 ** 20,
    requireIntake() {
      clock.requireClock()
      disk.requireSpace()
    },
  })
