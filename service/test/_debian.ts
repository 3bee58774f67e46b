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
  const install = ['install', '-y', '-q', ...packages]
  if (process.getuid?.() !== 0)
    throw new Error(`This test needs ${command}: run "apt-get ${install.join(' ')}" as root first.`)
  await aptGet(...install).catch(async () => {
    await aptGet('update', '-q')
    await aptGet(...install)
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
