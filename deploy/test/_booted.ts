import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { needCommand } from '../../service/test/_debian.ts'
import { eventually } from '../../service/test/_eventually.ts'
import { runToEnd, type Output } from './_output.ts'

const run = promisify(execFile)

const VARIABLES = ['PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', 'LANG=C.UTF-8']

const NSPAWN = ['--register=no', '--keep-unit', '--quiet', '--private-network', '--boot']

/** A Debian that systemd has booted, with a network of its own. One at a time: they share a control group. */
export class Booted implements AsyncDisposable {
  readonly #leader: number
  #stack = new AsyncDisposableStack()

  private constructor(leader: number) {
    this.#leader = leader
  }

  static async start(root: string): Promise<Booted> {
    await needCommand('systemd-nspawn', 'systemd-container')
    const place = ['--machine', `plumbline-${process.pid}`, '--directory', root]
    const args = [...NSPAWN, ...place]
    const started = spawn('systemd-nspawn', args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let console = ''
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (part: Buffer) => (console += part.toString()))
    const kill = () => started.kill('SIGKILL')
    process.once('exit', kill)
    const exit = once(started, 'exit')
    await using stack = new AsyncDisposableStack()
    stack.defer(async () => {
      process.off('exit', kill)
      kill()
      await exit
    })
    const leader = await eventually(async () =>
      Number((await run('pgrep', ['-P', String(started.pid)])).stdout.split('\n')[0]),
    )
    const booted = new Booted(leader)
    await eventually(async () => {
      const { stdout, stderr } = await booted.run('systemctl', 'is-system-running')
      if (!/^(running|degraded)/.test(stdout))
        throw new Error(`systemd is ${stdout}${stderr}: ${console}`)
    })
    booted.#stack = stack.move()
    return booted
  }

  /** Runs a command within, as root. */
  async run(...command: string[]): Promise<Output> {
    const args = ['--target', String(this.#leader), '--all', 'env', '-i', ...VARIABLES, ...command]
    return runToEnd('nsenter', args)
  }

  /** Runs a command that must succeed, and returns what it printed. */
  async get(...command: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(...command)
    if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${stdout}${stderr}`)
    return stdout
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }
}
