import { execFile } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { chmod, chown, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { needPackages } from '../_debian.ts'

const LEAST_VERSION = 15

/** All that programs of PostgreSQL see of our environment: their own variables would change them. */
export const ENVIRONMENT = { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' }

/** The programs of the newest PostgreSQL below `/usr/lib/postgresql`, and the user who runs them. */
export class Programs {
  readonly #folder: string
  readonly #owner: Owner | undefined

  private constructor(folder: string, owner: Owner | undefined) {
    this.#folder = folder
    this.#owner = owner
  }

  static async find(): Promise<Programs> {
    return new Programs(await needPostgres(), await findOwner())
  }

  /** The command that runs a program as the user of the servers. */
  command(program: string, args: readonly string[]): [program: string, ...args: string[]] {
    return [...this.#prefix(), join(this.#folder, program), ...args]
  }

  /** Runs a program to its end. */
  async run(folder: string, program: string, ...args: string[]): Promise<void> {
    const [first, ...rest] = this.command(program, args)
    await promisify(execFile)(first, rest, { cwd: folder, env: ENVIRONMENT })
  }

  /** A folder that the user of the servers owns, below one that everybody may enter. */
  async makeFolder(): Promise<string> {
    const folder = await makeOpenFolder('plumbline-postgres-')
    if (this.#owner !== undefined) await chown(folder, this.#owner.uid, this.#owner.gid)
    return folder
  }

  /** The process ends with the one that starts it, should somebody kill that. */
  #prefix(): [string, ...string[]] {
    const { uid, gid } = this.#owner ?? {}
    const user = uid === undefined ? [] : [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
    return ['setpriv', '--pdeathsig=QUIT', ...user, '--']
  }
}

type Owner = { uid: number; gid: number }

/** PostgreSQL refuses to run as root: root's servers run as somebody else. */
async function findOwner(): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined
  return ownerNamed('postgres').catch(() => ownerNamed('nobody'))
}

async function ownerNamed(user: string): Promise<Owner> {
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (option) => (await promisify(execFile)('id', [option, user])).stdout),
  )
  return { uid: Number(uid), gid: Number(gid) }
}

/**
 * Makes a folder for a server, beside that of a test run: root's servers may not enter that one,
 * and it is deleted while they still run.
 */
export async function makeOpenFolder(prefix: string): Promise<string> {
  const wanted = process.env['TEST_RUN_PID'] === undefined ? tmpdir() : dirname(tmpdir())
  const isOpen = process.getuid?.() !== 0 || mayEveryoneEnter(wanted)
  const folder = await mkdtemp(join(isOpen ? wanted : '/tmp', prefix))
  await chmod(folder, 0o700)
  return folder
}

const mayEveryoneEnter = (folder: string): boolean =>
  (statSync(folder).mode & 1) === 1 && (folder === '/' || mayEveryoneEnter(dirname(folder)))

async function needPostgres(): Promise<string> {
  const found = newestPostgres()
  if (found !== undefined) return found
  await needPackages('postgresql')
  const installed = newestPostgres()
  if (installed === undefined)
    throw new Error(
      `This test needs PostgreSQL ${LEAST_VERSION} or newer below /usr/lib/postgresql; the package "postgresql" of this system brings an older one.`,
    )
  return installed
}

function newestPostgres(): string | undefined {
  const newest = globSync('/usr/lib/postgresql/*/bin/postgres')
    .filter((program) => versionOf(program) >= LEAST_VERSION)
    .toSorted((a, b) => versionOf(a) - versionOf(b))
    .at(-1)
  return newest && dirname(newest)
}

const versionOf = (program: string): number => Number(program.split('/')[4])
