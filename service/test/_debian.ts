import { execFile } from 'node:child_process'
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
  await run('apt-get', install).catch(async () => {
    await run('apt-get', ['update', '-q'])
    await run('apt-get', install)
  })
}

const exists = (command: string): Promise<boolean> =>
  run(command, ['--version']).then(
    () => true,
    // Some say their version with an exit code of their own.
    ({ code }: NodeJS.ErrnoException) => code !== 'ENOENT',
  )
