import { setTimeout as sleep } from 'node:timers/promises'
import {
  LogFollower,
  type ChangedPages,
  type ClosedFile,
  type LogPlace,
} from '../../storage/sqlite/write-ahead-log/log-follower.ts'

/** How often new commits are read. */
const READ_MILLISECONDS = 250

/** From this many frames on the log is copied back: 32 MB. */
const COPY_BACK_FRAMES = 4_000

/** How long a reader that needs the log is left alone. */
const READER_MILLISECONDS = 1_000

/** Pages that wait for the folder of the copy, in bytes. Beyond them the copy is given up. */
const WAITING_BYTES = 64 * 1024 * 1024

/** What was committed since the last piece. */
export type Cut = {
  changed: ChangedPages
  at: number
  place: LogPlace
  pages: number
  pageBytes: number
  closed?: ClosedFile | undefined
}

/** Reads what is committed, and keeps what changed since the last piece in bounded memory. */
export class FollowedDatabase implements Disposable {
  readonly follower: LogFollower
  readonly #now: () => number
  #changed: ChangedPages = new Map()
  #closed: { file: ClosedFile | undefined; at: number } | undefined
  #copiedBack = { frames: -1, nextAt: 0 }

  constructor(file: string, now: () => number) {
    this.follower = new LogFollower(file)
    this.#now = now
  }

  /** Reads again and again until it is stopped, and copies the log back. Throws where it cannot. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#read()
      await sleep(READ_MILLISECONDS, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Takes what has changed since the last call. */
  cut(): Cut {
    const { follower } = this
    const at = this.#closed?.at ?? this.#now()
    if (this.#closed === undefined) follower.read(this.#changed)
    const changed = this.#changed
    this.#changed = new Map()
    const { place, pages, pageBytes } = follower
    return { changed, at, place, pages, pageBytes, closed: this.#closed?.file }
  }

  /** Reads the rest and lets go of the database. Nothing of it is open afterwards. */
  close(): void {
    const at = this.#now()
    this.#closed ??= { file: this.follower.close(this.#changed), at }
  }

  /** Lets go of the database without reading the rest. */
  [Symbol.dispose](): void {
    this.follower[Symbol.dispose]()
  }

  #read(): void {
    const { follower } = this
    follower.read(this.#changed)
    if (this.#changed.size * follower.pageBytes > WAITING_BYTES)
      throw new Error(
        'The folder of the copy takes less than is stored: a new copy is begun when it takes files again.',
      )
    const { frame } = follower.place
    if (frame < COPY_BACK_FRAMES || frame === this.#copiedBack.frames) return
    if (performance.now() < this.#copiedBack.nextAt) return
    const result = follower.copyBack(this.#changed)
    this.#copiedBack = {
      frames: result === 'whole' ? follower.place.frame : -1,
      nextAt: performance.now() + (result === 'read' ? READER_MILLISECONDS : 0),
    }
  }
}
