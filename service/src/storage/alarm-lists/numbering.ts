/** Numbers texts in the order in which they are first seen, from 0 on. */
export class Numbering {
  readonly #numbers = new Map<string, number>()

  of(text: string): number {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    const number = this.#numbers.size
    this.#numbers.set(text, number)
    return number
  }

  /** All texts, in the order of their numbers. */
  get texts(): MapIterator<string> {
    return this.#numbers.keys()
  }
}
