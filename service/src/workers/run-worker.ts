import type { Socket } from 'node:net'
import { Server } from 'node:https'
import type { Logger } from 'pino'
import { RevocationWatch } from '../access/revocation-watch.ts'
import { horizonOf } from '../domain/time/timeliness.ts'
import type { ReadStorage } from '../http/app-core.ts'
import { openProcessMetrics } from '../http/operations/process-metrics.ts'
import { buildReaderApp } from '../http/reader-app.ts'
import { interfaceLimits } from '../startup/interface-limits.ts'
import { openTracing } from '../startup/open-tracing.ts'
import { openCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import { Channel } from './channel.ts'
import { measureSelf } from './measure-self.ts'
import type { FromWorker, ToWorker, WorkerMeasurement, WorkerStart } from './messages.ts'

/** As long as the first process waits for responses under way. */
const LAST_RESPONSES_MILLISECONDS = 10_000

type WorkerOptions = {
  start: WorkerStart
  storage: ReadStorage & Pick<Storage, 'site'>
  log: Logger
  send(message: FromWorker): void
}

type RunningWorker = AsyncDisposable & {
  /** Takes a message of the first process; a connection comes with its socket. */
  hear(message: ToWorker, socket?: Socket): Promise<void>
}

/** Opens the interface of a worker; it ends with its connections, at the latest after ten seconds. */
export async function runWorker({
  start,
  storage,
  log,
  send,
}: WorkerOptions): Promise<RunningWorker> {
  const { config, ticketKeys } = start
  const sockets = new Map<Socket, number>()
  let { clockBehind } = start
  let drained: (() => void) | undefined
  await using stack = new AsyncDisposableStack()

  const tracing = stack.use(await openTracing(config, log))
  const revocations = stack.use(new RevocationWatch())
  const app = await buildReaderApp({
    storage: {
      records: storage.records,
      traffic: storage.traffic,
      waveforms: storage.waveforms,
      alarms: storage.alarms,
      // The first process gets the request and marks the token.
      tokens: { find: (hash) => storage.tokens.find(hash), markExpired: async () => {} },
    },
    catalogue: openCatalogue(storage.site),
    access: {
      security: { record: (event, details) => send({ kind: 'security', event, details }) },
      // The first process gets the request and counts the wrong secret.
      throttle: { fail: async () => 0 },
      revocations,
    },
    tls: start.tls,
    ticketKeys,
    limits: interfaceLimits(config, config['http.maxConnections'], start.workers),
    trustedProxies: config['http.trustedProxies'],
    publicUrl: config['http.publicUrl'],
    hstsSeconds: config['http.hstsSeconds'],
    horizon: () =>
      horizonOf(Date.now() + clockBehind, config['ingest.clockToleranceSeconds'] * 1000),
    passOn: new Channel(start.channel).passOn,
    tracing,
    log,
    now: Date.now,
  })
  stack.defer(() => closeAfterLast(app, sockets))
  app.addHook('preClose', async () => {
    app.server.closeIdleConnections()
    const last = Promise.withResolvers<void>()
    drained = last.resolve
    if (sockets.size > 0) await last.promise
  })
  const metrics = config['ops.port'] === 0 ? undefined : await openProcessMetrics(app, storage)
  await app.listen({
    path: start.listen,
    listenTextResolver: () => `Worker ${start.worker} serves.`,
  })

  const take = (id: number, socket: Socket | undefined): void => {
    const end = (): void => send({ kind: 'closed', id })
    send({ kind: 'taken' })
    // The client has closed it meanwhile.
    if (socket === undefined) return end()
    sockets.set(socket, id)
    socket.once('close', () => {
      sockets.delete(socket)
      end()
      if (sockets.size === 0) drained?.()
    })
    app.server.emit('connection', socket)
  }
  const measure = async (): Promise<WorkerMeasurement> => {
    const values = (await metrics?.getMetricsAsJSON()) ?? []
    // The values of a metric have prototypes and functions that cannot be sent.
    return { metrics: JSON.parse(JSON.stringify(values)), ...measureSelf() }
  }
  const opened = stack.move()
  return {
    async hear(message, socket) {
      if (message.kind === 'connection') take(message.id, socket)
      else if (message.kind === 'clock') clockBehind = message.clockBehind
      else if (message.kind === 'measure')
        send({ kind: 'measured', id: message.id, measurement: await measure() })
      else if (message.kind === 'certificate' && app.server instanceof Server) {
        app.server.setSecureContext(message.tls)
        app.server.setTicketKeys(ticketKeys)
      }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

type App = Awaited<ReturnType<typeof buildReaderApp>>

async function closeAfterLast(app: App, sockets: ReadonlyMap<Socket, number>): Promise<void> {
  const timer = setTimeout(() => {
    for (const socket of sockets.keys()) socket.destroy()
  }, LAST_RESPONSES_MILLISECONDS)
  await app.close()
  clearTimeout(timer)
}
