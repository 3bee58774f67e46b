import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PROGRAM } from './_program.ts'
import { freePort } from './_service.ts'

const READY = /^listening on (https:\/\/\S+)$/

/** A running `plumbline serve` in a process of its own. */
export class Child implements AsyncDisposable {
  readonly origin: string
  readonly certificate: string
  readonly opsOrigin: string
  readonly #process: ChildProcess
  readonly #stderr: string[]

  constructor(parts: {
    process: ChildProcess
    origin: string
    certificate: string
    opsOrigin: string
    stderr: string[]
  }) {
    this.#process = parts.process
    this.origin = parts.origin
    this.certificate = parts.certificate
    this.opsOrigin = parts.opsOrigin
    this.#stderr = parts.stderr
  }

  get pid(): number {
    return this.#process.pid!
  }

  /** Everything it has logged. */
  get logged(): string {
    return this.#stderr.join('')
  }

  get isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null
  }

  /** Ends it as a power cut would: nothing is finished, nothing is closed. */
  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  /** Asks it to stop. */
  stop(): Promise<void> {
    return this.#end('SIGTERM')
  }

  /** The response of its port for operators. */
  async getOps(path: string): Promise<{ status: number; text: string }> {
    const response = await fetch(`${this.opsOrigin}${path}`)
    return { status: response.status, text: await response.text() }
  }

  /** Resident memory in bytes. */
  async memory(): Promise<number> {
    const status = await readFile(`/proc/${this.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
  }

  /** Bytes it has read so far, from files and connections. */
  async bytesRead(): Promise<number> {
    const counts = await readFile(`/proc/${this.pid}/io`, 'utf8')
    return Number(/^rchar: (\d+)$/m.exec(counts)?.[1])
  }

  /** Processor time it has used, in seconds. */
  async processorSeconds(): Promise<number> {
    const stat = await readFile(`/proc/${this.pid}/stat`, 'utf8')
    const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number)
    return (user! + system!) / 100
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (!this.isRunning) return
    const exit = once(this.#process, 'exit')
    this.#process.kill(signal)
    await exit
  }
}

/**
 * Starts the service over a data folder; ends with the test process, also when that fails.
 *
 * `openFiles` is its limit of them; `before` is what the shell that becomes it runs first.
 */
export async function startChild(
  folder: string,
  environment: Record<string, string> = {},
  { openFiles, before: first }: { openFiles?: number; before?: string } = {},
): Promise<Child> {
  const opsPort = await freePort()
  const command = [process.execPath, '--max-semi-space-size=4', PROGRAM, 'serve']
  const preparation = first ?? (openFiles === undefined ? undefined : `ulimit -n ${openFiles}`)
  const prepared = ['sh', '-c', `${preparation} && exec "$@"`, 'sh', ...command]
  const [program, ...before] = preparation === undefined ? command : prepared
  const started = spawn(program!, [...before, '--data', folder, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PLUMBLINE_HTTP_HOST: '127.0.0.1',
      PLUMBLINE_OPS_PORT: String(opsPort),
      PLUMBLINE_LOG_LEVEL: 'debug',
      ...environment,
    },
  })
  const endWithUs = () => started.kill('SIGKILL')
  process.once('exit', endWithUs)
  started.once('exit', () => process.off('exit', endWithUs))
  const stderr: string[] = []
  started.stderr.on('data', (chunk: Buffer) => stderr.push(chunk.toString()))

  const origin = await readOrigin(started)
  if (origin === undefined) throw new Error(`the service did not start: ${stderr.join('')}`)
  return new Child({
    process: started,
    origin,
    certificate: await readFile(join(folder, 'tls', 'certificate.pem'), 'utf8'),
    opsOrigin: `http://127.0.0.1:${opsPort}`,
    stderr,
  })
}

async function readOrigin(started: ChildProcess): Promise<string | undefined> {
  for await (const line of createInterface({ input: started.stdout! })) {
    const origin = READY.exec(line)?.[1]
    if (origin !== undefined) {
      started.stdout!.resume()
      return origin
    }
  }
  return undefined
}
