import { setImmediate } from 'node:timers/promises'

const ITEMS = 1_000
const MILLISECONDS = 5

export type TurnOptions = {
  /** So many items are a turn, however little work each of them is. */
  items?: number
  /** The running time in milliseconds. */
  now?: () => number
}

/** A turn on the main thread: so many items, or milliseconds of work where these are heavy. */
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

  /** Counts an item that is done; true: others should have their turn before the next. */
  isOver(): boolean {
    this.#items++
    if (this.#items >= this.#most) return true
    // A look costs less than 0.1 µs; between two of them one item may take tens of milliseconds.
    return this.#now() - this.#since >= MILLISECONDS
  }

  /** Lets others have their turn; then the next one begins. */
  async pass(): Promise<void> {
    await setImmediate()
    this.#items = 0
    this.#since = this.#now()
  }
}
