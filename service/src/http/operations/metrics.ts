import type { FastifyInstance } from 'fastify'
import type { Metric } from 'prom-client'
import type { CamerasState } from '../../camera/cameras.ts'
import type { DataSourceState } from '../../ingest/data-source-state.ts'
import type { FolderState } from '../../ingest/files/folder-state.ts'
import type { DiskSpaceState } from '../../storage/disk-space.ts'
import type { ClockState } from '../../clock/clock-monitor.ts'
import type { Withheld } from '../../retention/expire-daily.ts'
import type { ChannelState } from '../../notifications/channel-states.ts'
import type { ContinuousCopyState } from '../../backup/continuous/copy-state.ts'
import { continuousCopyMetrics } from './continuous-copy-metrics.ts'
import { diskMetrics } from './disk-metrics.ts'
import { folderMetrics } from './folder-metrics.ts'
import type { SealingState } from '../../sealing/sealing-counts.ts'
import { sealingMetrics, storageMetrics, type MeasuredStorage } from './state-metrics.ts'
import { cameraMetrics } from './camera-metrics.ts'
import { scheduledBackupMetrics, type ReadScheduledBackup } from './backup-metrics.ts'
import { makeCounters, makeGauges } from './plain-metrics.ts'
import { earlyMetrics, type EarlyState } from './early-metrics.ts'
import { MergedMetrics } from './merged-metrics.ts'
import { openProcessMetrics } from './process-metrics.ts'
import { workerMetrics, type MeasureWorkers } from './worker-metrics.ts'

/** The clock of retention, and expired records that are not deleted yet. */
type RetentionState = { clock: ClockState; withheld: readonly Withheld[] }

/** The states that health and metrics report. */
export type ServiceStates = {
  /** Data sources other than watched folders, and the routes of ingest. */
  sources(): readonly DataSourceState[]
  folders(): readonly FolderState[]
  /** Notification channels. */
  channels(): Promise<readonly ChannelState[]>
  retention(): RetentionState
  /** The disk of the data folder. */
  disk(): DiskSpaceState
  /** How many lines of the log could not be written. */
  lostLogLines(): number
  clocks(): Promise<EarlyState>
  /** The end of the certificate in use, in milliseconds since 1970. */
  certificateEndsAt(): number
  /** How often each security event has happened. */
  securityEvents(): ReadonlyMap<string, number>
  /** What sealing has done since the start. */
  sealing(): SealingState
  /** The backups that the service makes by itself; undefined where it makes none. */
  scheduledBackup: ReadScheduledBackup
  cameras(): Promise<CamerasState>
  workers: MeasureWorkers
  /** The continuous copy, where there is one. */
  continuousCopy(): ContinuousCopyState | undefined
}

/** What metrics report: all states, and whether the service reads and writes. */
type MeasuredStates = ServiceStates & { isReady(): boolean }

const COUNT_NAMES = ['messages', 'records', 'replaced', 'refused', 'empty'] as const

/** Metrics of the process, of requests and of all states, in the text format of Prometheus. */
export async function collectMetrics(
  app: FastifyInstance,
  states: MeasuredStates,
  storage: MeasuredStorage,
) {
  const { Counter, Gauge } = await import('prom-client')
  const registry = await openProcessMetrics(app, storage)
  const merged = new MergedMetrics()
  const connected = new Gauge({
    name: 'plumbline_ingest_source_connected',
    help: 'Connections of a data source that are established and subscribed.',
    labelNames: ['origin'],
    registers: [],
    collect() {
      for (const { origin, connected: count } of states.sources())
        if (count !== undefined) this.set({ origin }, count)
    },
  })
  const messages = new Counter({
    name: 'plumbline_ingest_messages_total',
    help: 'Since the start: messages or requests, records stored, records that replaced an earlier record, messages or requests with a rejected record, records without a value that a topic ignores.',
    labelNames: ['origin', 'what'],
    registers: [],
    collect() {
      this.reset()
      for (const { origin, counts } of states.sources())
        for (const what of COUNT_NAMES) this.inc({ origin, what }, counts[what])
    },
  })
  const stored = new Counter({
    name: 'plumbline_ingest_records_total',
    help: 'Records stored since the start, by data source.',
    labelNames: ['origin'],
    registers: [],
    collect() {
      this.reset()
      for (const { origin, counts } of states.sources()) this.inc({ origin }, counts.records)
      for (const { origin, counts } of states.folders()) this.inc({ origin }, counts.records)
    },
  })
  const rejected = new Counter({
    name: 'plumbline_ingest_rejected_records_total',
    help: 'Records rejected since the start, by data source.',
    labelNames: ['origin'],
    registers: [],
    collect() {
      this.reset()
      for (const { origin, counts } of states.sources()) this.inc({ origin }, counts.rejected)
      for (const { origin, counts } of states.folders()) this.inc({ origin }, counts.rejected)
    },
  })
  const deliveries = new Gauge({
    name: 'plumbline_notification_deliveries',
    help: 'Deliveries that wait, and those that were given up recently.',
    labelNames: ['channel', 'state'],
    registers: [],
    async collect() {
      this.reset()
      for (const { channel, waiting, givenUp } of await states.channels()) {
        this.set({ channel, state: 'waiting' }, waiting)
        this.set({ channel, state: 'givenUp' }, givenUp)
      }
    },
  })
  const events = new Counter({
    name: 'plumbline_security_events_total',
    help: 'Security events since the start, logged or not.',
    labelNames: ['event'],
    registers: [],
    collect() {
      this.reset()
      for (const [event, count] of states.securityEvents()) this.inc({ event }, count)
    },
  })
  const gauges = await makeGauges([
    [
      'plumbline_ready',
      '1 while the service reads and takes in records, 0 otherwise.',
      () => (states.isReady() ? 1 : 0),
    ],
    [
      'plumbline_retention_clock_confirmed',
      '1 if the clock of retention is confirmed, 0 if not.',
      () => (states.retention().clock.isConfirmed ? 1 : 0),
    ],
    [
      'plumbline_certificate_expiry_timestamp_seconds',
      'The end of the certificate in use, in seconds since 1970.',
      () => states.certificateEndsAt() / 1000,
    ],
  ])
  const counters = await makeCounters([
    [
      'plumbline_log_lines_lost_total',
      'Log lines that could not be written, since the start.',
      states.lostLogLines,
    ],
  ])
  let measured = await states.workers()
  const metrics: readonly Metric[][] = [
    gauges,
    counters,
    [connected, deliveries, events, messages, stored, rejected] as Metric[],
    await folderMetrics(states.folders),
    await storageMetrics(storage),
    await diskMetrics(states.disk),
    await sealingMetrics(states.sealing),
    await scheduledBackupMetrics(states.scheduledBackup),
    await earlyMetrics(states.clocks),
    await continuousCopyMetrics(states.continuousCopy),
    await cameraMetrics(states.cameras),
    await workerMetrics(() => measured.state),
  ]
  for (const metric of metrics.flat()) registry.registerMetric(metric)
  return {
    contentType: registry.contentType,
    async text() {
      measured = await states.workers()
      const isAlone = measured.state.wanted === 1
      return isAlone ? registry.metrics() : merged.text(registry, measured.others)
    },
  }
}
