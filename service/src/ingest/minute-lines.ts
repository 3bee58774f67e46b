const MINUTE = 60_000

type OpenMinute<Sums> = { timer: NodeJS.Timeout; more: Sums | undefined }

/** Writes the first event of a name at once, and the sum of later ones once a minute. */
export class MinuteLines<Sums> implements Disposable {
  readonly #write: (name: string, sums: Sums) => void
  readonly #add: (one: Sums, other: Sums) => Sums
  readonly #open = new Map<string, OpenMinute<Sums>>()

  constructor(options: {
    write(name: string, sums: Sums): void
    add(one: Sums, other: Sums): Sums
  }) {
    this.#write = options.write
    this.#add = options.add
  }

  note(name: string, sums: Sums): void {
    const open = this.#open.get(name)
    if (open !== undefined) {
      open.more = open.more === undefined ? sums : this.#add(open.more, sums)
      return
    }
    this.#write(name, sums)
    const timer = setInterval(() => this.#close(name), MINUTE).unref()
    this.#open.set(name, { timer, more: undefined })
  }

  [Symbol.dispose](): void {
    for (const [name, { more, timer }] of this.#open) {
      clearInterval(timer)
      if (more !== undefined) this.#write(name, more)
    }
    this.#open.clear()
  }

  /** Writes the sum of a minute; after one without events the timer ends. */
  #close(name: string): void {
    const open = this.#open.get(name)
    if (open === undefined) return
    const { more, timer } = open
    if (more === undefined) {
      clearInterval(timer)
      this.#open.delete(name)
      return
    }
    open.more = undefined
    this.#write(name, more)
  }
}
