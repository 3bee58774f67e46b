const MINUTE = 60_000

type Open<Sums> = { timer: NodeJS.Timeout; more: Sums | undefined }

/** Writes the first of a name at once, and what comes within a minute together at its end. */
export class MinuteLines<Sums> implements Disposable {
  readonly #write: (name: string, sums: Sums) => void
  readonly #add: (one: Sums, other: Sums) => Sums
  readonly #open = new Map<string, Open<Sums>>()

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

  /** A minute in which nothing came is the last one. */
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
