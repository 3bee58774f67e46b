import { spawnSync } from 'node:child_process'

/** All that ffmpeg sees of the environment of the service. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin:/opt/homebrew/bin',
  LANG: 'C',
}

/** What one ffmpeg may take of the machine. */
export type FfmpegLimits = {
  /** Resident memory; more ends it. */
  memoryMegabytes: number
  /** Processor cores, as a mean of half a minute; more ends it. */
  cores?: number
}

/** Programs of Linux that start another one under a restriction, with what is lost without them. */
const restrictionsOf = ({
  memoryMegabytes,
}: FfmpegLimits): readonly (readonly [string, ...string[]])[] => [
  // Other work of the service goes first.
  ['nice', '-n', '5'],
  // Where memory ends, the system ends ffmpeg and not the service.
  ['choom', '-n', '800', '--'],
  // No file is written. Memory is measured now and then: twice as much is never given.
  ['prlimit', '--core=0', '--fsize=0', '--nofile=64', `--data=${2 * memoryMegabytes * 1024 ** 2}`],
  // The system ends it when the thread that started it ends, however that ends.
  ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs'],
]

const known = new Map<string, boolean>()

/**
 * A command line that runs a command under the restrictions that this system knows.
 *
 * `lacking` names the programs that do not work here, once in the life of the service.
 */
export function restrict(
  command: readonly string[],
  limits: FfmpegLimits,
): { program: string; args: string[]; lacking: string[] } {
  const lacking: string[] = []
  const working = restrictionsOf(limits).filter((restriction) => {
    const key = restriction.join(' ')
    const isKnown = known.get(key)
    const works = isKnown ?? tryOut(restriction)
    known.set(key, works)
    if (isKnown === undefined && !works) lacking.push(restriction[0])
    return works
  })
  const [program = '', ...args] = [...working.flat(), ...command]
  return { program, args, lacking }
}

/** Some systems have a program of this name that lacks an option, or refuse what it asks for. */
function tryOut([program, ...args]: readonly [string, ...string[]]): boolean {
  const { status } = spawnSync(program, [...args, 'true'], {
    env: ENVIRONMENT,
    stdio: 'ignore',
    timeout: 2_000,
  })
  return status === 0
}
