/** Ascending instants, some thousand at a time. */
export type Instants = AsyncIterable<readonly number[]>

/** Finds ascending instants among those of a source, which it reads as far as they are needed. */
export class InstantCursor {
  readonly #pages: AsyncIterator<readonly number[]>
  #page: readonly number[] = []
  #at = 0
  #isDone = false

  constructor(instants: Instants) {
    this.#pages = instants[Symbol.asyncIterator]()
  }

  /** Whether `reach` has to be called before `has`. */
  isBehind(time: number): boolean {
    return !this.#isDone && (this.#page.at(-1) ?? -Infinity) < time
  }

  async reach(time: number): Promise<void> {
    while (this.isBehind(time)) {
      const { value, done = false } = await this.#pages.next()
      this.#page = done ? [] : value
      this.#at = 0
      this.#isDone = done
    }
  }

  has(time: number): boolean {
    while ((this.#page[this.#at] ?? Infinity) < time) this.#at++
    return this.#page[this.#at] === time
  }
}
