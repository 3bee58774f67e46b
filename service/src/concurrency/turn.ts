import { setImmediate } from 'node:timers/promises'

const ITEMS = 1_000
const MILLISECONDS = 5

export type TurnOptions = {
  /** The most items of a turn. */
  items?: number
  /** A monotonic clock in milliseconds. */
  now?: () => number
}

/** A turn on the main thread: a number of items, or some milliseconds of work. */
export class Turn {
  readonly #most: number
  readonly #now: () => number
  #items = 0
  #since: number

  constructor({ items = ITEMS, now = () => performance.now() }: TurnOptions = {}) {
    this.#most = items
    this.#now = now
    this.#since = now()
  }

  /** Counts an item; true when other work should run before the next one. */
  isOver(): boolean {
    this.#items++
    if (this.#items >= this.#most) return true
    // Reading the clock takes less than 0.1 µs; one item may take tens of milliseconds.
    return this.#now() - this.#since >= MILLISECONDS
  }

  /** Lets other work run, and begins the next turn. */
  async pass(): Promise<void> {
    await setImmediate()
    this.#items = 0
    this.#since = this.#now()
  }
}
