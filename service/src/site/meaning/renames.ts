/**
 * New keys of items, each as `old=new`, or `15.old=new` for one factor and `<uuid>.old=new` for one
 * device. A text is compared and not parsed: keys may have any characters.
 */
export class Renames {
  readonly #texts: readonly string[]
  readonly #used = new Set<string>()

  constructor(texts: readonly string[] = []) {
    this.#texts = texts
  }

  /** Whether an item of a factor or device gets another key. */
  names(owner: number | string, from: string, to: string): boolean {
    const found = this.#texts.find((text) => {
      const prefix = text.slice(0, `${owner}.`.length).toLowerCase()
      const pair = prefix === `${owner}.` ? text.slice(prefix.length) : text
      return pair === `${from}=${to}` || text === `${from}=${to}`
    })
    if (found === undefined) return false
    this.#used.add(found)
    return true
  }

  /** The texts that have named no item so far. */
  get unused(): string[] {
    return this.#texts.filter((text) => !this.#used.has(text))
  }
}
