import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { codeOf, toError } from '../../errors/thrown.ts'
import { cleanText, describeEnd } from './describe-end.ts'
import { NOT_INSTALLED } from './find-ffmpeg.ts'
import { watchResources } from './resource-watch.ts'
import { ENVIRONMENT, restrict, type FfmpegLimits } from './restrictions.ts'

/** How much of the end of the standard error is kept. */
const SAID_LENGTH = 4096

/** How long a process may take to end when it is asked to, and when it is killed. */
const TERM_MILLISECONDS = 2_000
const KILL_MILLISECONDS = 5_000

export type ProcessOptions = {
  command: string
  args: readonly string[]
  /** What is piped into its standard input; undefined: it has none. */
  stdin: Readable | undefined
  limits: FfmpegLimits
  log: Pick<Logger, 'debug' | 'warn'>
}

/** Why a process ended, as a sentence without secrets for clients, and what it said, for the log. */
export type ProcessEnd = { problem: string; detail: string }

/**
 * An ffmpeg that ends with the service and cannot take more of the machine than its limits.
 *
 * It has to be started in the main thread: Linux ends it with the thread that started it.
 */
export class LimitedProcess implements AsyncDisposable {
  /** Its outputs, descriptors 1 and 3. Whoever starts it has to read them or destroy them. */
  readonly outputs: readonly [Readable, Readable]
  readonly pid: number | undefined
  /** Settles when it has ended, perhaps before the last of its output is read. Never rejects. */
  readonly ended: Promise<ProcessEnd>
  readonly #child: ChildProcess | undefined
  readonly #log: Pick<Logger, 'debug' | 'warn'>
  #said = ''
  #reason: string | undefined

  constructor({ command, args, stdin, limits, log }: ProcessOptions) {
    this.#log = log
    const restricted = restrict([command, ...args], limits)
    if (restricted.lacking.length > 0)
      log.warn(
        { lacking: restricted.lacking },
        'ffmpeg runs with fewer restrictions: some programs of util-linux or coreutils do not work here.',
      )
    const started = start(restricted, stdin !== undefined)
    this.#child = started instanceof Error ? undefined : started
    this.pid = this.#child?.pid
    this.outputs = [outputOf(this.#child, 1), outputOf(this.#child, 3)]
    this.ended = started instanceof Error ? this.#describeFailure(started) : this.#follow(started)
    if (stdin !== undefined) feed(stdin, this.#child)
    if (this.pid !== undefined) this.#watch(this.pid, limits)
  }

  /** Ends it for a reason: a sentence for clients. */
  #endFor(reason: string, signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#reason ??= reason
    this.#child?.kill(signal)
  }

  /** Follows the process until it has ended. */
  async #follow(child: ChildProcess): Promise<ProcessEnd> {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-SAID_LENGTH)
    })
    try {
      const [code, signal] = await once(child, 'exit')
      if (child.stderr) await finished(child.stderr).catch(() => undefined)
      const problem = this.#reason ?? describeEnd({ code, signal, said: this.#said })
      const detail = cleanText(this.#said)
      this.#log.debug({ pid: child.pid, code, signal, detail }, `ffmpeg has ended: ${problem}`)
      return { problem, detail }
    } catch (error) {
      return this.#describeFailure(toError(error))
    }
  }

  async #describeFailure(error: Error): Promise<ProcessEnd> {
    const problem = codeOf(error) === 'ENOENT' ? NOT_INSTALLED : 'ffmpeg cannot be started.'
    return { problem, detail: error.message }
  }

  #watch(pid: number, limits: FfmpegLimits): void {
    const onExceeded = (problem: string) => this.#endFor(problem, 'SIGKILL')
    const watch = watchResources({ pid, limits, onExceeded })
    void this.ended.then(() => watch[Symbol.dispose]())
  }

  /** Ends it: at its request, after two seconds by force. Resolves when it is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#child
    if (child === undefined || this.pid === undefined) return
    // It may hang in reading or writing.
    child.stdin?.destroy()
    for (const output of this.outputs) output.destroy()
    this.#endFor('The stream was stopped.', 'SIGTERM')
    if (await this.#endsWithin(TERM_MILLISECONDS)) return
    child.kill('SIGKILL')
    if (await this.#endsWithin(KILL_MILLISECONDS)) return
    this.#log.warn({ pid: this.pid }, 'An ffmpeg cannot be ended: the system does not let it go.')
  }

  async #endsWithin(milliseconds: number): Promise<boolean> {
    const stop = new AbortController()
    const timeout = wait(milliseconds, false, { signal: stop.signal }).catch(() => false)
    const isEnded = await Promise.race([this.ended.then(() => true), timeout])
    stop.abort()
    return isEnded
  }
}

/** Starts a program; returns the error where the system has no process for it. */
function start(
  { program, args }: { program: string; args: string[] },
  hasInput: boolean,
): ChildProcess | Error {
  try {
    return spawn(program, args, {
      env: ENVIRONMENT,
      stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe', 'pipe'],
    })
  } catch (error) {
    return toError(error)
  }
}

/** An output of a process; an empty one where it could not be started. */
function outputOf(child: ChildProcess | undefined, descriptor: 1 | 3): Readable {
  const stream = child?.stdio?.[descriptor]
  const output = stream instanceof Readable ? stream : Readable.from([])
  // Its end says all: `ended` says why.
  return output.on('error', () => undefined)
}

/** Pipes an input into a process. Each ends with the other. */
function feed(stdin: Readable, child: ChildProcess | undefined): void {
  if (!child?.stdin) stdin.destroy()
  else pipeline(stdin, child.stdin).catch(() => undefined)
}
