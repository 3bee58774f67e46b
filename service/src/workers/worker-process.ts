import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { FromWorker, ToWorker, WorkerMeasurement, WorkerStart } from './messages.ts'
import { restartDelay } from './restart-delay.ts'

/** A worker that does not reply within this time counts as one that does not answer. */
const REPLY_MILLISECONDS = 1_000

/** A worker that is told to stop closes its connections within ten seconds, then it is killed. */
const STOP_MILLISECONDS = 11_000

type WorkerProcessOptions = {
  number: number
  program: string
  /** Returns what the worker needs to serve, as it is now. */
  describeStart(): WorkerStart
  /** Takes a message that is not about connections or measurements. */
  hear(message: FromWorker): void
  /** Called when the worker has ended by itself; `code` is its exit code or its signal. */
  onEnd(code: number | string, retryMilliseconds: number): void
}

/** A worker that takes no connection for so long gets no further ones until it does. */
const STUCK_MILLISECONDS = 1_000

/** A connection that a worker has or gets. */
type GivenConnection = {
  id: number
  socket: Socket
  /** Called when the worker has closed the connection. */
  close(): void
  /** Called where the worker hangs before it gets the connection, which another process then serves. */
  giveBack(): void
}

/** A worker, seen from the first process; when its process ends it is started again. */
export class WorkerProcess {
  readonly #options: WorkerProcessOptions
  #child: ChildProcess | undefined
  #startedAt = 0
  #delay: number | undefined
  #timer: NodeJS.Timeout | undefined
  #isReady = false
  #isStopping = false
  readonly #settled = Promise.withResolvers<void>()
  readonly #connections = new Map<number, GivenConnection>()
  readonly #measuring = new Map<number, (measurement: WorkerMeasurement | undefined) => void>()
  #lastId = 0
  /** The connection on its way; the worker confirms each one before it gets the next. */
  #sent: GivenConnection | undefined
  #waiting: GivenConnection[] = []
  #isStuck = false
  #stuckTimer: NodeJS.Timeout | undefined
  restarts = 0

  constructor(options: WorkerProcessOptions) {
    this.#options = options
    this.#start()
  }

  /** Resolves when the worker serves, or has ended for the first time. */
  get settled(): Promise<void> {
    return this.#settled.promise
  }

  get number(): number {
    return this.#options.number
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Whether it takes connections. */
  get isReady(): boolean {
    return this.#isReady && !this.#isStuck
  }

  /** How many connections it has. */
  get connections(): number {
    return this.#connections.size
  }

  /** Gives it a connection. */
  take(connection: Omit<GivenConnection, 'id'>): void {
    const given = { ...connection, id: ++this.#lastId }
    this.#connections.set(given.id, given)
    this.#waiting.push(given)
    this.#sendNext()
  }

  send(message: ToWorker): void {
    if (this.#child?.connected === true) this.#child.send(message, () => {})
  }

  /** What it measures of itself; undefined where it does not reply. */
  async measure(): Promise<WorkerMeasurement | undefined> {
    if (!this.#isReady) return undefined
    const id = ++this.#lastId
    const { promise, resolve } = Promise.withResolvers<WorkerMeasurement | undefined>()
    this.#measuring.set(id, resolve)
    const timer = setTimeout(() => resolve(undefined), REPLY_MILLISECONDS)
    this.send({ kind: 'measure', id })
    const measurement = await promise
    clearTimeout(timer)
    this.#measuring.delete(id)
    return measurement
  }

  /** Ends it after the responses under way. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#timer)
    const child = this.#child
    if (child === undefined) return
    const exit = once(child, 'close')
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MILLISECONDS)
    this.send({ kind: 'stop' })
    await exit
    clearTimeout(timer)
  }

  #start(): void {
    const { program, number, describeStart } = this.#options
    // The arguments show its number in lists of processes. Standard output belongs to the command.
    const child = fork(program, ['worker', String(number)], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#child = child
    this.#startedAt = performance.now()
    child.on('message', (message: FromWorker) => this.#hear(message))
    child.on('error', () => {})
    child.once('close', (code: number | null, signal: string | null) =>
      this.#end(code ?? signal ?? 'an error'),
    )
    this.send({ kind: 'start', start: describeStart() })
  }

  #sendNext(): void {
    if (this.#sent !== undefined) return
    const next = this.#waiting.shift()
    if (next === undefined) return
    const { id, socket } = next
    this.#sent = next
    this.#stuckTimer = setTimeout(() => {
      this.#isStuck = true
      this.#giveBackWaiting()
    }, STUCK_MILLISECONDS)
    // Otherwise its server would wait at the end for connections of workers that have ended.
    Reflect.set(socket, 'server', undefined)
    // The worker has a copy of the connection then; this server counts its own as closed.
    this.#child?.send({ kind: 'connection', id } satisfies ToWorker, socket, {}, () =>
      socket.destroy(),
    )
  }

  #giveBackWaiting(): void {
    for (const { id, giveBack } of this.#waiting.splice(0)) {
      this.#connections.delete(id)
      giveBack()
    }
  }

  #forgetSent(): void {
    clearTimeout(this.#stuckTimer)
    this.#sent = undefined
    this.#isStuck = false
  }

  #hear(message: FromWorker): void {
    if (message.kind === 'taken') {
      this.#forgetSent()
      this.#sendNext()
    } else if (message.kind === 'closed') this.#close(message.id)
    else if (message.kind === 'measured') this.#measuring.get(message.id)?.(message.measurement)
    else if (message.kind === 'ready') {
      this.#isReady = true
      this.#settled.resolve()
    } else this.#options.hear(message)
  }

  #close(id: number): void {
    const given = this.#connections.get(id)
    this.#connections.delete(id)
    given?.close()
  }

  #end(code: number | string): void {
    this.#child = undefined
    this.#isReady = false
    this.#settled.resolve()
    this.#sent?.socket.destroy()
    this.#giveBackWaiting()
    this.#forgetSent()
    for (const id of this.#connections.keys()) this.#close(id)
    for (const give of this.#measuring.values()) give(undefined)
    if (this.#isStopping) return
    this.#delay = restartDelay(this.#delay, performance.now() - this.#startedAt)
    this.#options.onEnd(code, this.#delay)
    this.#timer = setTimeout(() => {
      this.restarts++
      this.#start()
    }, this.#delay)
  }
}
