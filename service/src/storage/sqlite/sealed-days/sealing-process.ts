import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { SerialQueue } from '../../../concurrency/serial-queue.ts'
import { DamageError } from '../../../errors/damage-error.ts'
import type { SealPreparation, SealRequest } from './seal-preparation.ts'

export type SealReply = { preparation: SealPreparation } | { error: Error; isDamage: boolean }

const PROGRAM = fileURLToPath(new URL('./sealing-program.ts', import.meta.url))
const IDLE_MILLISECONDS = 5_000

/**
 * Compresses in a process of its own, which is there only while it has something to do.
 *
 * Of a thread the service would keep the memory: fifty megabytes for the first thousand days.
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
    return this.#requests.run(() => this.#ask(request))
  }

  async #ask(request: SealRequest): Promise<SealPreparation> {
    clearTimeout(this.#idle)
    const child = (this.#child ??= this.#start())
    const ended = new AbortController()
    try {
      child.send(request)
      const [response] = (await Promise.race([
        once(child, 'message', { signal: ended.signal }),
        once(child, 'exit', { signal: ended.signal }).then(([code, signal]) => {
          throw new Error(`the process that seals has ended with ${code ?? signal}`)
        }),
      ])) as [SealReply]
      // From one process to another comes an error's text, but not what it is.
      if ('error' in response)
        throw response.isDamage ? new DamageError(response.error.message) : response.error
      return response.preparation
    } finally {
      ended.abort()
      this.#idle = setTimeout(() => void this.#end(), IDLE_MILLISECONDS).unref()
    }
  }

  /** One that dies is started anew the next time. */
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
