import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { toError } from '../../errors/thrown.ts'
import { DATABASE_FILE } from '../../storage/sqlite/connection/main-connection.ts'
import { unmarkLog } from '../../storage/sqlite/write-ahead-log/log-mark.ts'
import type {
  ContinuousCopyState,
  CopyOptions,
  CopyState,
  FromCopying,
  ToCopying,
} from './copy-state.ts'

const PROGRAM = fileURLToPath(new URL('./copying-program.ts', import.meta.url))

const RESTART_MILLISECONDS = 5_000

/** The program lets go of the database within this time, and then writes the rest. */
const CLOSING_MILLISECONDS = 10_000
const FINISHING_MILLISECONDS = 6_000

/**
 * The process that copies a data folder continuously.
 *
 * A process, not a thread: a folder of another machine that does not answer keeps whoever writes to
 * it from ending. Has to be disposed of after the storage, so that the last commit is copied too.
 */
export class ContinuousCopy implements AsyncDisposable {
  readonly #options: CopyOptions
  readonly #log: Logger
  #child: ChildProcess | undefined
  #isClosed = Promise.withResolvers<void>()
  #isStopping = false
  #restart: NodeJS.Timeout | undefined
  #state: CopyState = { state: 'waits', generations: 0, pieces: 0, bytes: 0 }

  constructor(options: CopyOptions, log: Logger) {
    this.#options = options
    this.#log = log
  }

  get state(): ContinuousCopyState {
    return { to: this.#options.to, ...this.#state }
  }

  /** Has to be called when the storage is open. */
  start(): void {
    const child = this.#fork()
    if (child === undefined) return
    this.#child = child
    this.#isClosed = Promise.withResolvers()
    child.on('message', (message: FromCopying) => this.#receive(message))
    child.once('error', (error) => this.#end(child, notStarted(error)))
    child.once('exit', (code, signal) => this.#end(child, `has ended with ${code ?? signal}`))
    this.#send({ start: this.#options })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#restart)
    const child = this.#child
    if (child === undefined) return
    const ended = new AbortController()
    const exit = once(child, 'exit')
    const within = (milliseconds: number): Promise<void> =>
      sleep(milliseconds, undefined, { signal: ended.signal }).catch(() => undefined)
    this.#send({ finish: true })
    await Promise.race([exit, this.#isClosed.promise, within(CLOSING_MILLISECONDS)])
    await Promise.race([exit, within(FINISHING_MILLISECONDS)])
    ended.abort()
    // A process that waits for a dead file system does not even end by this signal.
    child.kill('SIGKILL')
    child.unref()
    child.channel?.unref()
    await unmarkLog(this.#options.dataFolder, DATABASE_FILE)
  }

  #receive(message: FromCopying): void {
    if ('isClosed' in message) return this.#isClosed.resolve()
    const { problem, isOnSameDisk, exposure } = message.state
    if (exposure !== undefined && exposure !== this.#state.exposure) this.#log.warn(exposure)
    if (isOnSameDisk === true && this.#state.isOnSameDisk !== true)
      this.#log.warn(
        `The continuous copy in ${this.#options.to} is on the disk of the data folder, and is lost with it. Mount its disk, or name a folder on another one.`,
      )
    if (problem !== this.#state.problem) {
      if (problem === undefined) this.#log.info('The continuous copy goes on.')
      else this.#log.warn(`The continuous copy waits: ${problem}`)
    }
    this.#state = message.state
  }

  /** Node emits some errors of a start, and throws others, such as those of too little memory. */
  #fork(): ChildProcess | undefined {
    try {
      return fork(PROGRAM, [], { serialization: 'advanced' })
    } catch (error) {
      this.#startLater(notStarted(toError(error)))
      return undefined
    }
  }

  #end(child: ChildProcess, what: string): void {
    if (this.#child !== child) return
    this.#child = undefined
    if (!this.#isStopping) this.#startLater(what)
  }

  #startLater(what: string): void {
    const problem = `The process that copies ${what}. It is started again.`
    this.#log.error(`The continuous copy waits: ${problem}`)
    this.#state = { ...this.#state, state: 'waits', problem }
    this.#restart = setTimeout(() => this.start(), RESTART_MILLISECONDS).unref()
  }

  #send(message: ToCopying): void {
    this.#child?.send(message, undefined, {}, () => {})
  }
}

const notStarted = ({ message }: Error): string => `could not be started: ${message}`
