import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { SecureContextOptions } from 'node:tls'
import type { Logger } from 'pino'
import type { Config } from '../config/settings.ts'
import type { SecurityLog } from '../domain/access/security-log.ts'
import type { PortSharing } from '../http/app-options.ts'
import type { MeasuredProcess } from '../http/operations/merged-metrics.ts'
import type { GiveConnection } from '../http/security/connection-limits.ts'
import type { WorkersState } from '../http/operations/worker-metrics.ts'
import { ChannelServer } from './channel-server.ts'
import { measureSelf } from './measure-self.ts'
import type { FromWorker } from './messages.ts'
import { WorkerProcess } from './worker-process.ts'

const CLOCK_MILLISECONDS = 1_000

/** A service that starts waits so long for its workers; they are started again anyway. */
const START_MILLISECONDS = 10_000

/** Of TLS session tickets, as Node demands. */
const TICKET_KEY_BYTES = 48

export type WorkerPoolOptions = {
  /** All processes that serve, the first one too. */
  workers: number
  /** The file of the program of a worker. */
  program: string
  config: Config
  dataFolder: string
  tls: SecureContextOptions
  security: Pick<SecurityLog, 'record'>
  log: Logger
  /** Writes a line of a worker to the log. */
  writeLogLine(line: string): void
  /** How many milliseconds the clock is behind the time that is known. */
  clockBehind(): number
}

/**
 * The processes that share the port. The first one accepts all connections and gives each to the
 * process that has the fewest, itself included.
 */
export class WorkerPool implements PortSharing, AsyncDisposable {
  readonly ticketKeys = randomBytes(TICKET_KEY_BYTES)
  readonly #options: WorkerPoolOptions
  #tls: SecureContextOptions
  #channel: ChannelServer | undefined
  #processes: WorkerProcess[] = []
  #ownConnections = 0
  #turn = 0
  #starts = 0
  #clockBehind = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: WorkerPoolOptions) {
    this.#options = options
    this.#tls = options.tls
  }

  /** Starts the workers, which pass requests on to a server; resolves when they serve. */
  async start(server: HttpServer | HttpsServer): Promise<void> {
    const { workers, program, config, dataFolder, log } = this.#options
    const channel = await ChannelServer.open(server)
    this.#channel = channel
    this.#clockBehind = this.#options.clockBehind()
    this.#timer = setInterval(() => this.#followClock(), CLOCK_MILLISECONDS).unref()
    const numbers = Array.from({ length: workers - 1 }, (_, at) => at + 2)
    this.#processes = numbers.map(
      (number) =>
        new WorkerProcess({
          number,
          program,
          describeStart: () => ({
            worker: number,
            workers,
            config,
            dataFolder,
            tls: this.#tls,
            ticketKeys: this.ticketKeys,
            channel: channel.address,
            // One that was killed has left its socket.
            listen: channel.pathOf(`worker-${++this.#starts}`),
            clockBehind: this.#clockBehind,
          }),
          hear: (message) => this.#hear(message),
          onEnd(code, retryMilliseconds) {
            const how = typeof code === 'number' ? `with code ${code}` : `by ${code}`
            log.error(
              { worker: number },
              `Worker ${number} has ended ${how}. It is started again in ${retryMilliseconds / 1000} s.`,
            )
          },
        }),
    )
    const patience = Promise.withResolvers<void>()
    const timer = setTimeout(patience.resolve, START_MILLISECONDS)
    await Promise.race([
      patience.promise,
      Promise.all(this.#processes.map(({ settled }) => settled)),
    ])
    clearTimeout(timer)
  }

  readonly give: GiveConnection = (socket, { serve, close }) => {
    const serveHere = (): void => {
      this.#ownConnections++
      socket.once('close', () => this.#ownConnections--)
      serve()
    }
    const chosen = this.#choose()
    if (chosen === undefined) serveHere()
    else chosen.take({ socket, close, giveBack: serveHere })
  }

  /** Accepts no further connections; resolves when all of all processes are closed. */
  async close(server: HttpServer | HttpsServer): Promise<void> {
    const closed = server.listening ? once(server, 'close') : undefined
    server.close()
    await Promise.all(this.#processes.map((process) => process.stop()))
    await closed
  }

  /** Sets the certificate of new connections of the workers. */
  setSecureContext(tls: SecureContextOptions): void {
    this.#tls = tls
    this.#tell({ kind: 'certificate', tls })
  }

  async measure(): Promise<{ state: WorkersState; others: MeasuredProcess[] }> {
    const own = { worker: 1, answers: true, connections: this.#ownConnections, ...measureSelf() }
    const others = await Promise.all(
      this.#processes
        .filter(({ pid }) => pid !== undefined)
        .map(async (process) => {
          const { number: worker, pid = 0, connections } = process
          const measured = await process.measure()
          const { memoryBytes = null, cpuSeconds = null, metrics } = measured ?? {}
          const answers = measured !== undefined
          const state = { worker, pid, answers, connections, memoryBytes, cpuSeconds }
          return { pid, metrics, state }
        }),
    )
    const workers = [own, ...others.map(({ state }) => state)]
    const restarts = this.#processes.reduce((sum, process) => sum + process.restarts, 0)
    const answering = workers.filter(({ answers }) => answers).length
    return { state: { wanted: this.#options.workers, answering, restarts, workers }, others }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#processes.map((process) => process.stop()))
    await this.#channel?.[Symbol.asyncDispose]()
  }

  /** The worker for the next connection; undefined for the first process. */
  #choose(): WorkerProcess | undefined {
    const ready = this.#processes.filter(({ isReady }) => isReady)
    const all = [undefined, ...ready]
    // Equal ones take turns.
    this.#turn++
    const inTurn = all.map((_, at) => all[(at + this.#turn) % all.length])
    const count = (one: WorkerProcess | undefined) => one?.connections ?? this.#ownConnections
    return inTurn.reduce((best, one) => (count(one) < count(best) ? one : best))
  }

  #hear(message: FromWorker): void {
    const { security, writeLogLine } = this.#options
    if (message.kind === 'security') security.record(message.event, message.details)
    else if (message.kind === 'log') writeLogLine(message.line)
  }

  #followClock(): void {
    const clockBehind = this.#options.clockBehind()
    if (Math.abs(clockBehind - this.#clockBehind) < CLOCK_MILLISECONDS) return
    this.#clockBehind = clockBehind
    this.#tell({ kind: 'clock', clockBehind })
  }

  #tell(message: Parameters<WorkerProcess['send']>[0]): void {
    for (const process of this.#processes) process.send(message)
  }
}
