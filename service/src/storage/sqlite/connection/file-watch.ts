import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { RefusedError } from '../../../errors/refused-error.ts'

/** A path that is none any more is known by this code, also where its folder is gone. */
const GONE = new Set(['ENOENT', 'ENOTDIR'])

/**
 * Compares the files of an open database with those that now bear their names.
 *
 * SQLite goes on with the files that it has opened, under whatever name or none: what it stores
 * there is gone after a restart. A difference that was seen stays, until the process ends.
 */
export class FileWatch {
  readonly #file: string
  #opened = new Map<string, string>()
  #problem: RefusedError | undefined

  constructor(file: string) {
    this.#file = file
    this.renew()
  }

  /** What was seen until now. */
  get problem(): RefusedError | undefined {
    return this.#problem
  }

  /** Takes the files as they are: they have just been opened. */
  renew(): void {
    this.#opened = new Map()
    for (const path of ['', '-wal', '-shm'].map((end) => this.#file + end)) {
      const identity = identify(path)
      if (identity !== undefined && identity !== 'gone') this.#opened.set(path, identity)
    }
  }

  /** Looks at the files now. */
  look(): RefusedError | undefined {
    if (this.#problem !== undefined) return this.#problem
    for (const [path, opened] of this.#opened) {
      const now = identify(path)
      if (now !== undefined && now !== opened) return (this.#problem = replacedError(path))
    }
    return undefined
  }
}

/** Undefined where nothing can be said of it. */
function identify(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev} ${ino}`
  } catch (error) {
    return GONE.has((error as NodeJS.ErrnoException).code ?? '') ? 'gone' : undefined
  }
}

const replacedError = (path: string): RefusedError =>
  new RefusedError(
    'unavailable',
    `The file ${basename(path)} was removed or replaced while the service runs: stop it, see that the right files are in the data folder, and start it again.`,
  )
