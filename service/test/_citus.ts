import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from './_free-port.ts'
import { ENVIRONMENT, makeOpenFolder } from './postgres/_programs.ts'

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))

/** Coordinator and workers take ports that follow each other. */
const NODES = 3

/** Ends the cluster when we are gone without having done so. */
const END_WITH_US =
  'tail --pid="$1" -s 0.2 -f /dev/null; cd "$2" && "$3" stop "$2"; cd / && rm -rf "$2"'

/** PostgreSQL with Citus: a coordinator and two workers, made by the kit in `shared/citus`. */
export class CitusCluster implements AsyncDisposable {
  /** The address of the coordinator, for its superuser. */
  readonly url: string
  readonly #program: string
  readonly #folder: string

  private constructor(program: string, folder: string, url: string) {
    this.#program = program
    this.#folder = folder
    this.url = url
  }

  static async start(): Promise<CitusCluster> {
    const kit = findKit()
    await build(kit)
    const program = join(kit, 'cluster.sh')
    const folder = await makeOpenFolder('plumbline-citus-')
    spawn('bash', ['-c', END_WITH_US, 'bash', String(process.pid), folder, program], {
      detached: true,
      stdio: 'ignore',
    }).unref()
    try {
      const { stdout } = await run(program, ['start', folder], {
        env: { ...ENVIRONMENT, CITUS_BASE_PORT: String(await freePorts(NODES)) },
      })
      return new CitusCluster(program, folder, stdout.trim())
    } catch (error) {
      await run(program, ['stop', folder]).catch(() => {})
      await rm(folder, { recursive: true, force: true })
      throw error
    }
  }

  /** Ends a worker in the middle of anything. */
  async killWorker(worker: 1 | 2): Promise<void> {
    await run(this.#program, ['kill-worker', this.#folder, String(worker)])
  }

  /** Starts a worker that was killed. */
  async startWorker(worker: 1 | 2): Promise<void> {
    await run(this.#program, ['start-worker', this.#folder, String(worker)])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run(this.#program, ['stop', this.#folder])
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** The folder of the kit: named by the environment, or beside the checkout or a folder above it. */
function findKit(): string {
  const named = process.env['TEST_CITUS_KIT']
  const wanted = named === undefined ? kitsAbove(CHECKOUT) : [named]
  const kit = wanted.find((folder) => existsSync(join(folder, 'cluster.sh')))
  if (kit === undefined)
    throw new Error(
      `This test needs the Citus kit, a folder with build.sh and cluster.sh: ${
        named === undefined
          ? 'put it into shared/citus beside the checkout, or name it in TEST_CITUS_KIT.'
          : `TEST_CITUS_KIT names ${named}, which has no cluster.sh.`
      }`,
    )
  return kit
}

function kitsAbove(folder: string): string[] {
  const above = dirname(folder)
  const kit = join(above, 'shared', 'citus')
  return above === folder ? [] : [kit, ...kitsAbove(above)]
}

/** Installs Citus when it is missing, which takes minutes; otherwise it does nothing. */
const build = (kit: string) => run('flock', [join(tmpdir(), 'citus.lock'), join(kit, 'build.sh')])

/** The first of some free ports that follow each other. */
async function freePorts(count: number): Promise<number> {
  const first = await freePort()
  let last = first
  while (last < first + count - 1) {
    const next = await freePort()
    if (next !== last + 1) return freePorts(count)
    last = next
  }
  return first
}

const execute = promisify(execFile)

/** Runs a program of the kit; its own sentence says what is wrong. */
async function run(
  program: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv } = {},
): Promise<{ stdout: string }> {
  try {
    return await execute(program, args, options)
  } catch (error) {
    const { stderr, message } = error as Error & { stderr: string }
    throw new Error(stderr.trim() || message, { cause: error })
  }
}
