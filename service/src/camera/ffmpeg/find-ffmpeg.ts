import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { codeOf } from '../../errors/thrown.ts'
import { ENVIRONMENT } from './restrictions.ts'

const run = promisify(execFile)

const ANSWER_MILLISECONDS = 5_000

/** `-fps_mode` is since this version. */
const OLDEST = { major: 5, minor: 1 }

/** The ffmpeg of the system. */
export class FfmpegProgram {
  readonly command: string
  #answer: Promise<string | undefined> | undefined

  constructor(command: string) {
    this.command = command
  }

  /**
   * Why it cannot be used, as a sentence that says what to install; undefined where it can.
   *
   * One that was found is remembered, a missing one is asked for again.
   */
  findProblem(): Promise<string | undefined> {
    this.#answer ??= this.#ask().then((problem) => {
      if (problem !== undefined) this.#answer = undefined
      return problem
    })
    return this.#answer
  }

  async #ask(): Promise<string | undefined> {
    try {
      const options = { env: ENVIRONMENT, timeout: ANSWER_MILLISECONDS }
      const { stdout } = await run(this.command, ['-version'], options)
      return findProblemOfVersion(stdout)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') return FAILS
      return this.command === 'ffmpeg' ? NOT_INSTALLED : NOT_THERE
    }
  }
}

const FAILS = 'The setting cameras.ffmpeg names a program that cannot be started.'

export const NOT_THERE =
  'The program that cameras.ffmpeg names is not there: "apt-get install ffmpeg" installs ffmpeg on Debian and Ubuntu.'

export const NOT_INSTALLED =
  'ffmpeg is not installed: "apt-get install ffmpeg" installs it on Debian and Ubuntu.'

/** Why a version cannot be used, by what `ffmpeg -version` prints; builds without a number can. */
export function findProblemOfVersion(printed: string): string | undefined {
  const [, name] = /^ffmpeg version (\S+)/.exec(printed) ?? []
  if (name === undefined) return 'The setting cameras.ffmpeg names a program that is not ffmpeg.'
  const [, major, minor] = /^n?(\d+)\.(\d+)/.exec(name) ?? []
  if (major === undefined) return undefined
  const isOld =
    Number(major) < OLDEST.major || (Number(major) === OLDEST.major && Number(minor) < OLDEST.minor)
  return isOld ? `ffmpeg ${name} is too old: ${OLDEST.major}.${OLDEST.minor} is needed.` : undefined
}
