import { fork, type ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { cpuMilliseconds, familyCpuMilliseconds } from '../process-figures.ts'
import { nextMessage } from '../messages.ts'
import { keep, stop, type Server } from '../servers/child.ts'
import type { FromLoad, Job, Load, ToLoad } from './job.ts'

/** Beyond what a job is meant to take, it is given up. */
const PATIENCE_MILLISECONDS = 120_000

export type Target = Server & {
  readonly ca: string
  /** All its processes, where it has several. */
  readonly pids?: readonly number[]
}
export type Measured = Load & { serverCpuMilliseconds: number }

const cpuOf = ({ pid, pids = [pid], databasePid }: Target): number =>
  pids.reduce((total, one) => total + cpuMilliseconds(one), 0) +
  (databasePid === undefined ? 0 : familyCpuMilliseconds(databasePid))

/** The load process, seen from outside. */
export class LoadProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #end = new AbortController()

  constructor() {
    const program = fileURLToPath(new URL('./process.ts', import.meta.url))
    this.#child = fork(program, { serialization: 'advanced', stdio: 'inherit' })
    keep(this.#child)
    this.#child.once('exit', () => this.#end.abort(new Error('the load process ended')))
  }

  /** Runs a job against a server; the server's processor time is counted from go to done. */
  async run(target: Target, job: Omit<Job, 'port' | 'ca'>): Promise<Measured> {
    this.#say({ kind: 'connect', job: { ...job, port: target.port, ca: target.ca } })
    await this.#hear('connected')
    const before = cpuOf(target)
    this.#say({ kind: 'go' })
    const { load } = await this.#hear('done', job.milliseconds)
    const serverCpuMilliseconds = cpuOf(target) - before
    this.#say({ kind: 'finish' })
    if (load.wrong !== undefined) throw new Error(`a wrong answer: ${load.wrong}`)
    return { ...load, serverCpuMilliseconds }
  }

  /** Sends a request on every connection and reads nothing for some milliseconds. */
  async stall(target: Target, job: Omit<Job, 'port' | 'ca'>, milliseconds: number): Promise<void> {
    const stalling = { ...job, port: target.port, ca: target.ca, stalls: true }
    this.#say({ kind: 'connect', job: stalling })
    await this.#hear('connected')
    this.#say({ kind: 'go' })
    await delay(milliseconds)
    this.#say({ kind: 'finish' })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return stop(this.#child)
  }

  #say(message: ToLoad): void {
    this.#child.send(message)
  }

  async #hear<Kind extends FromLoad['kind']>(
    kind: Kind,
    expectedMilliseconds = 0,
  ): Promise<Extract<FromLoad, { kind: Kind }>> {
    const signal = AbortSignal.any([
      this.#end.signal,
      AbortSignal.timeout(expectedMilliseconds + PATIENCE_MILLISECONDS),
    ])
    const message = await nextMessage<FromLoad>(this.#child, { signal })
    if (!isOfKind(message, kind)) throw new Error(`the load process says ${message.kind}`)
    return message
  }
}

const isOfKind = <Kind extends FromLoad['kind']>(
  message: FromLoad,
  kind: Kind,
): message is Extract<FromLoad, { kind: Kind }> => message.kind === kind
