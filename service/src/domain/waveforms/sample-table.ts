/** A table of numbers with rows of `width`, in a buffer that grows. */
export class SampleTable {
  readonly #width: number
  #values: Float64Array
  #length = 0

  constructor(width: number) {
    this.#width = width
    this.#values = new Float64Array(4 * width)
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const grown = new Float64Array(2 * this.#values.length)
      grown.set(this.#values)
      this.#values = grown
    }
    this.#values[this.#length++] = value
  }

  /** Returns a copy of a column; the first is 0. */
  column(column: number): Float64Array {
    const values = new Float64Array(this.#length / this.#width)
    for (let row = 0; row < values.length; row++) {
      values[row] = this.#values[row * this.#width + column]!
    }
    return values
  }
}
