const MOST_LINES = 1_000
const LINE_CHARACTERS = 2_000

/** The lines of a report: the first ones, and how many there are more. */
export class ReportLines {
  readonly #lines: string[] = []
  #more = 0

  /** Adds a text of one or more lines. */
  add(text: string): void {
    for (const line of text.split('\n'))
      if (this.#lines.length < MOST_LINES) this.#lines.push(line.slice(0, LINE_CHARACTERS))
      else this.#more++
  }

  lines(): string[] {
    return this.#more === 0
      ? [...this.#lines]
      : [...this.#lines, `and ${this.#more.toLocaleString('en')} more lines`]
  }
}
