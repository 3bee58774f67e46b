import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { SerialQueue } from '../../../concurrency/serial-queue.ts'
import { DamageError } from '../../../errors/damage-error.ts'
import type { SealPreparation, SealRequest } from '../../sql/sealed-days/seal-preparation.ts'

/** The reply of the process. An error loses its class on the way: `isDamage` stands for a `DamageError`. */
export type SealReply = { preparation: SealPreparation } | { error: Error; isDamage: boolean }

const PROGRAM = fileURLToPath(new URL('./sealing-program.ts', import.meta.url))
const IDLE_MILLISECONDS = 5_000

/**
 * Prepares parts in a child process, which ends when it is idle.
 *
 * After a thread the service would keep its memory: fifty megabytes for the first thousand days.
 */
export class SealingProcess implements AsyncDisposable {
  readonly #file: string
  #child: ChildProcess | undefined
  #idle: NodeJS.Timeout | undefined
  readonly #requests = new SerialQueue()

  constructor(file: string) {
    this.#file = file
  }

  prepare(request: SealRequest): Promise<SealPreparation> {
    return this.#requests.run(() => this.#send(request))
  }

  async #send(request: SealRequest): Promise<SealPreparation> {
    clearTimeout(this.#idle)
    const child = (this.#child ??= this.#start())
    const ended = new AbortController()
    try {
      child.send(request)
      const replies: SealReply[] = await Promise.race([
        once(child, 'message', { signal: ended.signal }),
        once(child, 'exit', { signal: ended.signal }).then(([code, signal]) => {
          throw new Error(`the process that seals has ended with ${code ?? signal}`)
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
    const child = fork(PROGRAM, [this.#file], { serialization: 'advanced' })
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined
    })
    return child
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

function preparationOf(reply: SealReply): SealPreparation {
  if ('preparation' in reply) return reply.preparation
  throw reply.isDamage ? new DamageError(reply.error.message) : reply.error
}
