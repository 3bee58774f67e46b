import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { guardAnswers, safeHeaders } from './safe-answers.ts'
import type { IntakeState } from '../ingest/intake-state.ts'
import type { ClockState } from '../retention/clock-watch.ts'
import type { Held } from '../retention/expire-daily.ts'
import type { ChannelState } from '../telling/channel-states.ts'
import { earlyMetrics, type EarlyState } from './early-metrics.ts'
import type { Storage } from '../storage/storage.ts'

/** How the clock stands by which records expire, and what stays though it is past its term. */
export type RetentionState = { clock: ClockState; held: readonly Held[] }

export type OpsServer = AsyncDisposable & { readonly port: number }

type OpsOptions = {
  host: string
  port: number
  storage: Pick<Storage, 'check'>
  app: FastifyInstance
  /** How the ways in beside HTTP are doing. */
  intakes?(): readonly IntakeState[]
  /** How the channels are doing by which people are told. */
  channels?(): Promise<readonly ChannelState[]>
  retention?(): RetentionState
  /** How many lines of the log could not be written. */
  lostLogLines?: (() => number) | undefined
  /** Whose clocks are ahead. */
  clocks?(): Promise<EarlyState>
  /** How often each security event has happened. */
  securityEvents?(): ReadonlyMap<string, number>
}

/** Health and metrics for the machine's own eyes, apart from the interface and without secrets. */
export async function startOps(options: OpsOptions): Promise<OpsServer> {
  const { storage, app, intakes = () => [], channels = async () => [], retention } = options
  const { clocks = async () => ({ waiting: 0, sources: [] }), lostLogLines = () => 0 } = options
  const { securityEvents = () => new Map<string, number>() } = options
  const metrics = await collectMetrics({
    ...{ app, intakes, channels, retention, lostLogLines, clocks },
    securityEvents,
  })
  const answers: Record<string, (response: ServerResponse) => Promise<void>> = {
    '/health/live': async (response) => send(response, 200, { status: 'alive' }),
    '/health/ready': async (response) => {
      const failure = await storage.check().then(
        () => undefined,
        (error: Error) => error.message,
      )
      if (failure === undefined) send(response, 200, { status: 'ready' })
      else send(response, 503, { name: 'Unavailable', message: failure })
    },
    '/health/intake': async (response) => send(response, 200, { intakes: intakes() }),
    '/health/telling': async (response) => send(response, 200, { channels: await channels() }),
    '/health/retention': async (response) => send(response, 200, retention?.() ?? {}),
    '/health/clocks': async (response) => send(response, 200, await clocks()),
    '/metrics': async (response) => {
      response.setHeader('content-type', metrics.contentType)
      response.end(await metrics.text())
    },
  }

  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined
    if (answer === undefined)
      return send(response, 404, { name: 'NotFound', message: 'There is nothing at this path.' })
    answer(response).catch(() =>
      send(response, 500, { name: 'ServerError', message: 'The service failed to answer.' }),
    )
  })
  guardAnswers(server, safeHeaders(0))
  server.listen(options.port, options.host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.statusCode = status
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.end(JSON.stringify(body))
}

type Measured = Required<
  Pick<OpsOptions, 'app' | 'intakes' | 'channels' | 'clocks' | 'securityEvents'>
> & {
  retention: OpsOptions['retention']
  lostLogLines: () => number
}

async function collectMetrics(measured: Measured) {
  const { app, intakes, channels, retention, lostLogLines, clocks, securityEvents } = measured
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client')
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'plumbline_' })
  const labelNames = ['method', 'route', 'status'] as const
  const answered = new Counter({
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
  app.answers.observe(({ method, route, status, milliseconds }) => {
    answered.inc({ method, route, status })
    duration.observe({ route }, milliseconds / 1000)
  })
  const connected = new Gauge({
    name: 'plumbline_intake_connected',
    help: 'Connections of a way in that stand and are subscribed.',
    labelNames: ['origin'],
    registers: [],
    collect() {
      for (const { origin, connected: count } of intakes()) this.set({ origin }, count)
    },
  })
  const taken = new Gauge({
    name: 'plumbline_intake_total',
    help: 'Since the start: messages, records stored, those that replaced one, messages refused.',
    labelNames: ['origin', 'what'],
    registers: [],
    collect() {
      for (const { origin, counts } of intakes())
        for (const [what, count] of Object.entries(counts)) this.set({ origin, what }, count)
    },
  })
  const deliveries = new Gauge({
    name: 'plumbline_telling_deliveries',
    help: 'Messages that wait for a channel, and that were given up of late.',
    labelNames: ['channel', 'state'],
    registers: [],
    async collect() {
      this.reset()
      for (const { channel, waiting, givenUp } of await channels()) {
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
      this.set(retention?.().clock.isConfirmed === false ? 0 : 1)
    },
  })
  registry.registerMetric(clock)
  const lostLines = new Counter({
    name: 'plumbline_log_lines_lost_total',
    help: 'Lines that the log could not take, since the start.',
    registers: [],
    collect() {
      this.reset()
      this.inc(lostLogLines())
    },
  })
  registry.registerMetric(lostLines)
  for (const metric of await earlyMetrics(clocks)) registry.registerMetric(metric)
  const events = new Counter({
    name: 'plumbline_security_events_total',
    help: 'Security events since the start, logged or only counted.',
    labelNames: ['event'],
    registers: [],
    collect() {
      this.reset()
      for (const [event, count] of securityEvents()) this.inc({ event }, count)
    },
  })
  registry.registerMetric(events)
  registry.registerMetric(deliveries)
  registry.registerMetric(connected)
  registry.registerMetric(taken)
  return { contentType: registry.contentType, text: () => registry.metrics() }
}
