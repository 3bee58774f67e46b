import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** How long a block may take, and a terminal until it has printed what the page shows, or has stopped. */
const LONGEST_SECONDS = 30

type Place = { folder: string; environment: NodeJS.ProcessEnv }

/** A shell that keeps its variables and its folder from block to block. */
export class Shell implements AsyncDisposable {
  readonly #process: ChildProcess
  readonly #folder: string
  #printed = ''
  #errors = ''
  #blocks = 0

  constructor({ folder, environment }: Place) {
    this.#folder = folder
    this.#process = spawn('bash', ['--noprofile', '--norc'], {
      cwd: folder,
      env: environment,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#process.stdout!.on('data', (chunk: Buffer) => {
      this.#printed += chunk.toString()
    })
    this.#process.stderr!.on('data', (chunk: Buffer) => {
      this.#errors += chunk.toString()
    })
    this.#process.stdin!.write('set -e\n')
  }

  /** Runs a block and returns its standard output; throws when a command fails, unless it `mayFail`. */
  async run(text: string, { mayFail = false } = {}): Promise<string> {
    this.#printed = ''
    this.#errors = ''
    const number = ++this.#blocks
    const file = join(this.#folder, `.block-${number}.sh`)
    writeFileSync(file, text)
    const command = mayFail ? `(. '${file}') </dev/null || true` : `. '${file}' </dev/null`
    this.#process.stdin!.write(`${command}\necho "block ${number} ended"\n`)
    const end = `block ${number} ended\n`
    await until(
      () => this.#printed.endsWith(end) || this.#hasEnded,
      'did not end',
      () => this.#all,
    )
    if (!this.#printed.endsWith(end)) throw new Error(`failed:\n${text}\n${this.#all}`)
    return this.#printed.slice(0, -end.length)
  }

  get #all(): string {
    return `${this.#printed}\n${this.#errors}`
  }

  get #hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#hasEnded) return
    const exited = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await exited
  }
}

/** A terminal in which one block runs until it is stopped. */
export class Terminal implements AsyncDisposable {
  readonly #process: ChildProcess
  printed = ''

  constructor(text: string, { folder, environment }: Place) {
    this.#process = spawn('bash', ['--noprofile', '--norc', '-c', text], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, which Ctrl-C would reach.
      detached: true,
    })
    const group = -this.#process.pid!
    const endWithUs = () => kill(group, 'SIGKILL')
    process.once('exit', endWithUs)
    this.#process.once('exit', () => process.off('exit', endWithUs))
    for (const stream of ['stdout', 'stderr'] as const)
      this.#process[stream]!.on('data', (chunk: Buffer) => {
        this.printed += chunk.toString()
      })
  }

  /** Waits until it has printed what a check accepts. */
  async waitFor(accepts: (printed: string) => boolean): Promise<void> {
    await until(
      () => accepts(this.printed) || this.#process.exitCode !== null,
      'did not print what the page shows',
      () => this.printed,
    )
    if (!accepts(this.printed))
      throw new Error(`ended with ${this.#process.exitCode}: ${this.printed}`)
  }

  /** Stops it as Ctrl-C does. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const exited = once(this.#process, 'exit')
    kill(-this.#process.pid!, 'SIGINT')
    const isOver = await Promise.race([
      exited,
      wait(LONGEST_SECONDS * 1000, 'late', { ref: false }),
    ])
    if (isOver === 'late') kill(-this.#process.pid!, 'SIGKILL')
    await exited
  }
}

function kill(process_: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process_, signal)
  } catch {
    // It has ended by itself.
  }
}

async function until(check: () => boolean, failure: string, details: () => string): Promise<void> {
  const end = performance.now() + LONGEST_SECONDS * 1000
  while (!check()) {
    if (performance.now() > end) throw new Error(`${failure}: ${details()}`)
    await wait(10)
  }
}
