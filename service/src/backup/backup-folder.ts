import { randomInt } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { RefusedError } from '../errors/refused-error.ts'
import { codeOf } from '../errors/thrown.ts'
import { writePrivate } from '../storage/private-files.ts'
import { lockFile } from '../storage/sqlite/connection/serving-lock.ts'
import { listBackups, listNames } from './find-backups.ts'
import { isInside } from './is-inside.ts'

/** The file by which a folder of backups is known, with the number that databases know it by. */
const MARKER = 'plumbline-backups.json'
/** The same while it is written: an interruption leaves no half of one. */
const FRESH_MARKER = `${MARKER}.new`
const LOCK = 'plumbline-backups.lock'
export const SEGMENTS = 'segments'
export const UNFINISHED = '.unfinished'

/** What an empty folder may hold: what a file system puts into its root, and an interrupted marker. */
const OF_EMPTY = new Set(['lost+found', FRESH_MARKER])

/** The name of a UTC time, as a file system takes it. */
const nameOf = (instant: number): string =>
  `${new Date(instant).toISOString().slice(0, 19).replaceAll(':', '-')}Z`

const timeOf = (name: string): number =>
  Date.parse(name.replace(/T(\d\d)-(\d\d)-(\d\d)Z$/, 'T$1:$2:$3Z'))

/** A folder of backups, which one program at a time changes. */
export class BackupFolder implements Disposable {
  readonly path: string
  readonly id: number
  readonly #lock: Disposable

  private constructor(path: string, id: number, lock: Disposable) {
    this.path = path
    this.id = id
    this.#lock = lock
  }

  /** Makes a folder of backups of an empty or missing folder, or takes one that it is. */
  static async open(path: string, dataFolder: string): Promise<BackupFolder> {
    requireOutside(path, dataFolder)
    const isMade = await mkdir(path, { mode: 0o700 }).then(
      () => true,
      (error: unknown) => {
        if (codeOf(error) === 'ENOENT')
          throw new RefusedError(
            'absent',
            `The folder ${dirname(resolve(path))} does not exist: the backups cannot be stored in ${path}. Mount the disk or make the folder first.`,
          )
        if (codeOf(error) !== 'EEXIST') throw error
        return false
      },
    )
    if (!existsSync(join(path, MARKER))) {
      if (!isMade) await requireEmpty(path)
      const id = randomInt(1, 2 ** 47)
      await writePrivate(join(path, FRESH_MARKER), `${JSON.stringify({ format: 1, id })}\n`)
      await rename(join(path, FRESH_MARKER), join(path, MARKER))
    }
    const id = readId(path)
    await mkdir(join(path, SEGMENTS), { recursive: true, mode: 0o700 })
    const lock = lockFile(path, LOCK, 0, (database) => database.exec('begin exclusive'))
    if (lock === undefined)
      throw new RefusedError(
        'unavailable',
        `Another backup to ${path} is under way. Try again when it has ended.`,
      )
    return new BackupFolder(path, id, lock)
  }

  /**
   * The name of the next backup: its UTC time, or a second after the newest one where the clock was put
   * back. So the order of names is the order in which backups were made.
   */
  async nextName(now: number): Promise<string> {
    const newest = (await listNames(this.path)).at(-1)
    const earliest = newest === undefined ? 0 : timeOf(newest) + 1000
    return nameOf(Math.max(now, earliest))
  }

  /** Removes what backups that were interrupted have left. */
  async removeUnfinished(): Promise<void> {
    for (const name of await readdir(this.path))
      if (name.endsWith(UNFINISHED))
        await rm(join(this.path, name), { recursive: true, force: true })
    await this.removeUnused()
  }

  /** Removes all but the newest backups; returns the names of those. */
  async removeOld(keep: number): Promise<string[]> {
    const old = (await listNames(this.path)).slice(0, -keep)
    for (const name of old) {
      // By this name it is no backup: an interruption leaves no half of one.
      const removed = join(this.path, `${name}${UNFINISHED}`)
      await rename(join(this.path, name), removed)
      await rm(removed, { recursive: true, force: true })
    }
    if (old.length > 0) await this.removeUnused()
    return old
  }

  /** Removes segments of which no backup needs anything; none where a backup does not say what it needs. */
  async removeUnused(): Promise<void> {
    const { backups, damaged } = await listBackups(this.path)
    if (damaged.length > 0) return
    const segments = backups.flatMap(({ manifest }) => manifest.segments)
    const used = new Set(segments.map(({ path }) => basename(path)))
    for (const name of await readdir(join(this.path, SEGMENTS)))
      if (!used.has(name)) await rm(join(this.path, SEGMENTS, name), { force: true })
  }

  [Symbol.dispose](): void {
    this.#lock[Symbol.dispose]()
  }
}

/** The number of a folder of backups. */
export function readId(path: string): number {
  try {
    const { id } = JSON.parse(readFileSync(join(path, MARKER), 'utf8'))
    if (Number.isSafeInteger(id)) return id
  } catch {
    // Below.
  }
  throw new RefusedError(
    'invalid',
    `The file ${join(path, MARKER)} cannot be read. Choose another folder for new backups.`,
  )
}

function requireOutside(path: string, dataFolder: string): void {
  if (isInside(path, dataFolder))
    throw new RefusedError(
      'invalid',
      `The folder ${path} is inside the data folder ${dataFolder}: the backups would be lost with the data. Choose a folder on another disk.`,
    )
}

async function requireEmpty(path: string): Promise<void> {
  const other = (await readdir(path)).find((name) => !OF_EMPTY.has(name))
  if (other !== undefined)
    throw new RefusedError(
      'invalid',
      `The folder ${path} holds something else, such as ${other}. Choose an empty folder, or one that has backups.`,
    )
}
