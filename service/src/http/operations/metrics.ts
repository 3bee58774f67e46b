import type { FastifyInstance } from 'fastify'
import type { SourceState } from '../../ingest/source-state.ts'
import type { FolderState } from '../../ingest/files/folder-state.ts'
import type { ClockState } from '../../clock/clock-monitor.ts'
import type { Withheld } from '../../retention/expire-daily.ts'
import type { ChannelState } from '../../notifications/channel-states.ts'
import { folderMetrics } from './folder-metrics.ts'
import { earlyMetrics, type EarlyState } from './early-metrics.ts'

/** The clock by which records expire, and expired records that are not deleted yet. */
export type RetentionState = { clock: ClockState; withheld: readonly Withheld[] }

/** What the parts of the service say of themselves. */
export type ServiceStates = {
  /** How the ways in are doing beside watched folders. */
  sources(): readonly SourceState[]
  folders(): readonly FolderState[]
  /** How the channels are doing by which people are told. */
  channels(): Promise<readonly ChannelState[]>
  retention(): RetentionState
  /** How many lines of the log could not be written. */
  lostLogLines(): number
  /** Whose clocks are ahead. */
  clocks(): Promise<EarlyState>
  /** When the certificate in use ends. */
  certificateEndsAt(): number
  /** How often each security event has happened. */
  securityEvents(): ReadonlyMap<string, number>
}

const COUNTED = ['messages', 'records', 'replaced', 'refused'] as const

/** The metrics of this process and of everything that it answers and takes in. */
export async function collectMetrics(app: FastifyInstance, states: ServiceStates) {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client')
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'plumbline_' })
  const labelNames = ['method', 'route', 'status'] as const
  const responded = new Counter({
    name: 'plumbline_http_requests_total',
    help: 'Answers by route and status.',
    labelNames,
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'plumbline_http_request_duration_seconds',
    help: 'Time from the request to the end of its answer.',
    labelNames: ['route'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
    registers: [registry],
  })
  app.responses.observe(({ method, route, status, milliseconds }) => {
    responded.inc({ method, route, status })
    duration.observe({ route }, milliseconds / 1000)
  })
  const connected = new Gauge({
    name: 'plumbline_ingest_source_connected',
    help: 'Connections of a way in that stand and are subscribed.',
    labelNames: ['origin'],
    registers: [],
    collect() {
      for (const { origin, connected: count } of states.sources())
        if (count !== undefined) this.set({ origin }, count)
    },
  })
  const taken = new Gauge({
    name: 'plumbline_ingest_messages_total',
    help: 'Since the start: messages or requests, records stored, those that replaced one, messages or requests of which anything was rejected.',
    labelNames: ['origin', 'what'],
    registers: [],
    collect() {
      for (const { origin, counts } of states.sources())
        for (const what of COUNTED) this.set({ origin, what }, counts[what])
    },
  })
  const rejected = new Counter({
    name: 'plumbline_ingest_rejected_records_total',
    help: 'Records that were rejected since the start, by way in and watched folder.',
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
    help: 'Messages that wait for a channel, and that were given up of late.',
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
  const clock = new Gauge({
    name: 'plumbline_retention_clock_confirmed',
    help: '1 while deletion by age follows the clock, 0 while the clock is doubted.',
    registers: [],
    collect() {
      this.set(states.retention().clock.isConfirmed ? 1 : 0)
    },
  })
  const lostLines = new Counter({
    name: 'plumbline_log_lines_lost_total',
    help: 'Lines that the log could not take, since the start.',
    registers: [],
    collect() {
      this.reset()
      this.inc(states.lostLogLines())
    },
  })
  const certificate = new Gauge({
    name: 'plumbline_certificate_expiry_timestamp_seconds',
    help: 'When the certificate in use ends, in seconds since 1970.',
    registers: [],
    collect() {
      this.set(states.certificateEndsAt() / 1000)
    },
  })
  const events = new Counter({
    name: 'plumbline_security_events_total',
    help: 'Security events since the start, logged or only counted.',
    labelNames: ['event'],
    registers: [],
    collect() {
      this.reset()
      for (const [event, count] of states.securityEvents()) this.inc({ event }, count)
    },
  })
  for (const metric of [connected, taken, deliveries]) registry.registerMetric(metric)
  for (const metric of [clock, certificate, lostLines, events, rejected])
    registry.registerMetric<string>(metric)
  for (const metric of await folderMetrics(states.folders)) registry.registerMetric(metric)
  for (const metric of await earlyMetrics(states.clocks)) registry.registerMetric(metric)
  return { contentType: registry.contentType, text: () => registry.metrics() }
}
