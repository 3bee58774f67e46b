import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { SerialQueue } from '../../../concurrency/serial-queue.ts'
import type { SealPreparation, SealRequest } from './seal-preparation.ts'
import { preparationOf, type SealReply, type ToSealing } from './sealing-messages.ts'

const IDLE_MILLISECONDS = 5_000

type SealingOptions<Database> = {
  /** The file of the engine's program, which calls `serveSealing`. */
  program: string
  /** What the program opens. It is sent, since others can read the arguments of a process. */
  database: Database
}

/**
 * Prepares parts in a child process, which ends when it is idle.
 *
 * After a thread the service would keep its memory: fifty megabytes for the first thousand days.
 */
export class SealingProcess<Database> implements AsyncDisposable {
  readonly #options: SealingOptions<Database>
  #child: ChildProcess | undefined
  #idle: NodeJS.Timeout | undefined
  #refusal: Error | undefined
  readonly #requests = new SerialQueue()

  constructor(options: SealingOptions<Database>) {
    this.#options = options
  }

  prepare(request: SealRequest): Promise<SealPreparation> {
    return this.#requests.run(() => this.#ask(request))
  }

  /** Ends the process, and starts no other: the request under way fails with this error, and later ones. */
  refuse(error: Error): void {
    this.#refusal = error
    this.#child?.kill('SIGKILL')
  }

  /** Prepares again. */
  allow(): void {
    this.#refusal = undefined
  }

  async #ask(request: SealRequest): Promise<SealPreparation> {
    clearTimeout(this.#idle)
    if (this.#refusal !== undefined) throw this.#refusal
    const child = (this.#child ??= this.#start())
    const ended = new AbortController()
    try {
      this.#send(child, { request })
      const replies: SealReply[] = await Promise.race([
        once(child, 'message', { signal: ended.signal }),
        once(child, 'exit', { signal: ended.signal }).then(([code, signal]) => {
          throw (
            this.#refusal ?? new Error(`the process that seals has ended with ${code ?? signal}`)
          )
        }),
      ])
      const [reply] = replies
      if (reply === undefined) throw new Error('the process that seals has sent no reply')
      return preparationOf(reply)
    } finally {
      ended.abort()
      this.#idle = setTimeout(() => void this.#end(), IDLE_MILLISECONDS).unref()
    }
  }

  /** A process that dies is replaced at the next request. */
  #start(): ChildProcess {
    const { program, database } = this.#options
    const child = fork(program, [], { serialization: 'advanced' })
    const forget = (): void => {
      if (this.#child === child) this.#child = undefined
    }
    child.once('exit', forget)
    // A process that cannot start never exits; other errors end the request that is under way.
    child.on('error', () => {
      if (child.pid === undefined) forget()
    })
    this.#send(child, { database })
    return child
  }

  #send(child: ChildProcess, message: ToSealing<Database>): void {
    child.send(message)
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle)
    const child = this.#child
    this.#child = undefined
    if (child === undefined) return
    const exit = once(child, 'exit')
    child.disconnect()
    await exit
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#requests.run(() => this.#end())
  }
}
