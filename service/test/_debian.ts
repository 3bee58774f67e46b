import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Where Debian keeps services: an ordinary user does not have it in the path. */
const SERVICES = '/usr/sbin'

/** Makes sure that a command is there: as root it is installed from Debian, else a sentence says how. */
export async function needCommand(command: string, ...packages: string[]): Promise<void> {
  const { PATH = '' } = process.env
  if (!PATH.split(':').includes(SERVICES)) process.env['PATH'] = `${PATH}:${SERVICES}`
  if (await exists(command)) return
  await install(command, packages)
}

/** Makes sure that packages of Debian are there, as `needCommand` does. */
export async function needPackages(...packages: string[]): Promise<void> {
  const { stdout } = await run('dpkg-query', [
    '-W',
    '-f',
    '${db:Status-Status}\n',
    ...packages,
  ]).catch(
    // It knows nothing of some of them.
    () => ({ stdout: '' }),
  )
  const installed = stdout.split('\n').filter((status) => status === 'installed')
  if (installed.length !== packages.length)
    await install(packages.join(', '), ['--no-install-recommends', ...packages])
}

async function install(what: string, packages: readonly string[]): Promise<void> {
  const args = ['install', '-y', '-q', ...packages]
  if (process.getuid?.() !== 0)
    throw new Error(`This test needs ${what}: run "apt-get ${args.join(' ')}" as root first.`)
  await aptGet(...args).catch(async () => {
    await aptGet('update', '-q')
    await aptGet(...args)
  })
}

/** Runs apt-get, one at a time: the test files of a run share the folder of the lock. */
const aptGet = (...args: string[]) =>
  run('flock', [join(tmpdir(), 'apt.lock'), 'apt-get', '-o', 'DPkg::Lock::Timeout=300', ...args])

const exists = (command: string): Promise<boolean> =>
  run(command, ['--version']).then(
    () => true,
    // Some say their version with an exit code of their own.
    ({ code }: NodeJS.ErrnoException) => code !== 'ENOENT',
  )
