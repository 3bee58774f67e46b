import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { RefusedError } from '../../../errors/refused-error.ts'
import { codeOf } from '../../../errors/thrown.ts'

/** The codes of a path that does not exist, or whose folder does not. */
const GONE = new Set(['ENOENT', 'ENOTDIR'])

/**
 * Compares the files of an open database with those that now have their names.
 *
 * SQLite goes on with the files that it has opened, even if they are renamed or removed: what it
 * stores there is lost after a restart. A difference that was found stays until the process ends.
 */
export class FileWatch {
  readonly #file: string
  #opened = new Map<string, string>()
  #problem: RefusedError | undefined

  constructor(file: string) {
    this.#file = file
    this.reset()
  }

  /** The difference that was found until now. */
  get problem(): RefusedError | undefined {
    return this.#problem
  }

  /** Compares with the files as they are now: they have just been opened. */
  reset(): void {
    this.#opened = new Map()
    for (const path of ['', '-wal', '-shm'].map((end) => this.#file + end)) {
      const identity = identify(path)
      if (identity !== undefined && identity !== 'gone') this.#opened.set(path, identity)
    }
  }

  /** Compares the files now; returns the difference. */
  check(): RefusedError | undefined {
    if (this.#problem !== undefined) return this.#problem
    for (const [path, opened] of this.#opened) {
      const now = identify(path)
      if (now !== undefined && now !== opened) return (this.#problem = replacedError(path))
    }
    return undefined
  }
}

/** The identity of a file, `gone` where there is none, undefined where neither is known. */
function identify(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev} ${ino}`
  } catch (error) {
    return GONE.has(codeOf(error) ?? '') ? 'gone' : undefined
  }
}

const replacedError = (path: string): RefusedError =>
  new RefusedError(
    'unavailable',
    `The file ${basename(path)} was removed or replaced while the service runs: stop it, see that the right files are in the data folder, and start it again.`,
  )
