import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { toError } from '../../errors/thrown.ts'
import { DATABASE_FILE } from '../../storage/sqlite/connection/main-connection.ts'
import { lockFile } from '../../storage/sqlite/connection/serving-lock.ts'
import { FolderUse } from '../../storage/sqlite/connection/use-lock.ts'
import type { CopyChange, CopyOptions, CopyState } from './copy-state.ts'
import { FollowedDatabase } from './followed-database.ts'
import { Shipment } from './shipment.ts'
import { SideFiles } from './side-files.ts'
import { TakenFolder } from './state-file.ts'

/** Of several services on one data folder one copies: the one that holds this lock. */
const LOCK_NAME = 'plumbline.lock-copy'

const RETRY_MILLISECONDS = 1_000
const LONGEST_RETRY_MILLISECONDS = 600_000

/** Following that lasted this long has worked: the next failure is tried again at once. */
const GOOD_MILLISECONDS = 600_000

/** Keeps a copy of a data folder up to date until it is finished. */
export class Copying {
  readonly #options: CopyOptions
  readonly #report: (state: CopyState) => void
  readonly #now: () => number
  readonly #finishing = new AbortController()
  #state: CopyState = { state: 'waits', generations: 0, pieces: 0, bytes: 0 }
  #session: { database: FollowedDatabase; shipment: Shipment; use: Disposable } | undefined

  constructor(options: CopyOptions, report: (state: CopyState) => void, now = Date.now) {
    this.#options = options
    this.#report = report
    this.#now = now
  }

  /** Copies until it is finished. */
  async run(): Promise<void> {
    let delay = RETRY_MILLISECONDS
    while (!this.#finishing.signal.aborted) {
      const began = performance.now()
      try {
        await this.#copy()
      } catch (error) {
        if (this.#finishing.signal.aborted) return
        this.#change({ state: 'waits', problem: toError(error).message })
        if (error instanceof TakenFolder) return
      }
      if (performance.now() - began > GOOD_MILLISECONDS) delay = RETRY_MILLISECONDS
      await this.#wait(delay)
      delay = Math.min(2 * delay, LONGEST_RETRY_MILLISECONDS)
    }
  }

  /**
   * Reads the rest, lets go of the database, and then writes the rest into the folder of the copy.
   * Has to be called when no other process of the service has the database open any more.
   */
  finish(): void {
    this.#finishing.abort()
    const { database, shipment, use } = this.#session ?? {}
    try {
      database?.close()
    } catch (error) {
      this.#change({ problem: toError(error).message })
    }
    use?.[Symbol.dispose]()
    shipment?.finish()
  }

  async #copy(): Promise<void> {
    const { dataFolder } = this.#options
    const path = join(dataFolder, DATABASE_FILE)
    using lock = lockFile(dataFolder, LOCK_NAME, 0, (one) => one.exec('begin exclusive'))
    if (lock === undefined) throw new Error('Another service of the data folder copies it.')
    while (!existsSync(`${path}-wal`)) if (!(await this.#wait(RETRY_MILLISECONDS))) return
    const failing = new AbortController()
    // Closed last: closing it earlier would release the locks of the connections.
    await using file = await open(path, 'r')
    using use = new FolderUse(dataFolder)
    using database = new FollowedDatabase(path, this.#now)
    const shipment = new Shipment({
      ...this.#options,
      database,
      file,
      sideFiles: new SideFiles(this.#options),
      signal: failing.signal,
      now: this.#now,
      report: (change) => this.#change(change),
      count: (what, by) => this.#change({ [what]: this.#state[what] + by }),
    })
    this.#session = { database, shipment, use }
    try {
      const shipping = shipment.run()
      const ended = AbortSignal.any([failing.signal, this.#finishing.signal])
      const following = database.follow(ended).catch((error: unknown) => {
        // Without its read transaction the log goes back into the database as it does without a copy.
        database[Symbol.dispose]()
        this.#change({ state: 'waits', problem: toError(error).message })
        failing.abort(error)
        throw error
      })
      const stopped = shipping.finally(() => failing.abort())
      const [shipped, followed] = await Promise.allSettled([stopped, following])
      for (const result of [followed, shipped])
        if (result.status === 'rejected') throw result.reason
    } finally {
      this.#session = undefined
    }
  }

  /** Returns false where it is to finish. */
  async #wait(milliseconds: number): Promise<boolean> {
    const { signal } = this.#finishing
    await sleep(milliseconds, undefined, { signal }).catch(() => undefined)
    return !signal.aborted
  }

  #change(change: CopyChange): void {
    Object.assign(this.#state, change)
    this.#report(this.#state)
  }
}
