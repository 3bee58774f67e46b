import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { eventually } from '../../service/test/_eventually.ts'
import { runToEnd, type Output } from './_output.ts'

const run = promisify(execFile)

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

export type MachineOptions = {
  /** The root of its file system. */
  root: string
  /** Whether it is closed for writing, but for `/tmp` and `writable`. */
  isReadOnly?: boolean
  /** Folders in the root that stay open for writing. */
  writable?: readonly string[]
}

/** Prepares the namespaces of a machine, says so and waits. */
const PREPARE = `
set -e
root=$1; mode=$2; shift 2
mount --make-rprivate /
mount --bind "$root" "$root"
mkdir -p "$root/proc" "$root/dev" "$root/tmp"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 dev "$root/dev"
for name in null zero random urandom; do : > "$root/dev/$name"; mount --bind "/dev/$name" "$root/dev/$name"; done
mkdir "$root/dev/shm"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
for folder in "$@"; do mount --bind "$root$folder" "$root$folder"; done
if [ "$mode" = read-only ]; then mount -o remount,bind,ro "$root"; fi
ip link set lo up
echo ready
exec sleep infinity
`

/** A root of its own with processes, mounts and a network of its own. It needs root here. */
export class Machine implements AsyncDisposable {
  readonly #pid: number
  readonly #root: string
  readonly #stop: () => Promise<void>

  private constructor(pid: number, root: string, stop: () => Promise<void>) {
    this.#pid = pid
    this.#root = root
    this.#stop = stop
  }

  static async start({ root, isReadOnly, writable = [] }: MachineOptions): Promise<Machine> {
    if (process.getuid?.() !== 0) throw new Error('This test makes namespaces: run it as root.')
    const mode = isReadOnly === true ? 'read-only' : 'writable'
    const flags = ['--mount', '--net', '--pid', '--ipc', '--uts', '--fork', '--kill-child']
    const script = ['sh', '-c', PREPARE, 'sh', root, mode, ...writable]
    const started = spawn('unshare', [...flags, ...script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const kill = () => started.kill('SIGKILL')
    process.once('exit', kill)
    const exit = once(started, 'exit')
    const [line] = await Promise.race([
      once(createInterface({ input: started.stdout }), 'line'),
      exit.then(() => ['']),
    ])
    if (line !== 'ready') throw new Error(`The machine did not start: ${line}`)
    const { stdout } = await run('pgrep', ['-P', String(started.pid)])
    return new Machine(Number(stdout), root, async () => {
      process.off('exit', kill)
      kill()
      await exit
    })
  }

  /** Runs a command within, as root or as a user by number, with no other environment. */
  async run(
    command: readonly string[],
    { user, env = {}, cwd = '/' }: RunOptions = {},
  ): Promise<Output> {
    const [program, ...args] = this.#enter(command, { user, env, cwd })
    return runToEnd(program!, args)
  }

  /** Starts a command within; waits for a text of its output. */
  async begin(
    command: readonly string[],
    text: RegExp,
    { user, env = {}, cwd = '/' }: RunOptions = {},
  ): Promise<{ output(): string; stop(): Promise<number | null> }> {
    const [program, ...args] = this.#enter(command, { user, env, cwd })
    const started = spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const exit = once(started, 'exit')
    let output = ''
    for (const stream of [started.stdout, started.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => (output += part))
    await eventually(() => {
      if (!text.test(output)) throw new Error(`${command.join(' ')} printed: ${output}`)
    })
    return {
      output: () => output,
      async stop() {
        // nsenter does not pass the signal on.
        const { stdout: child } = await run('pgrep', ['-P', String(started.pid)])
        process.kill(Number(child), 'SIGTERM')
        const [code] = await exit
        return code
      },
    }
  }

  /** Calls an address from here within its network, and returns the body. */
  async curl(...args: string[]): Promise<string> {
    const enter = ['--target', String(this.#pid), '--net', 'curl', '--silent', '--show-error']
    return (await run('nsenter', [...enter, '--max-time', '20', ...args])).stdout
  }

  #enter(command: readonly string[], { user, env = {}, cwd = '/' }: RunOptions): string[] {
    const variables = Object.entries({ PATH, ...env }).map(([name, value]) => `${name}=${value}`)
    const enter = ['nsenter', '--target', String(this.#pid), '--mount', '--net', '--pid', '--ipc']
    const ids = user === undefined ? [] : [`--userspec=${user}:${user}`, '--groups=']
    const within = ['env', '-i', ...variables, 'chroot', ...ids, this.#root]
    return [...enter, ...within, ...inFolder(cwd, command)]
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stop()
  }
}

export type RunOptions = { user?: string | undefined; env?: Record<string, string>; cwd?: string }

const inFolder = (folder: string, command: readonly string[]): string[] =>
  folder === '/' ? [...command] : ['sh', '-c', 'cd "$0" && exec "$@"', folder, ...command]
