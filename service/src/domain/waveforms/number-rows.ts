/** Numbers of rows of one width, row after row, in as much room as they need. */
export class NumberRows {
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

  column(column: number): Float64Array {
    const found = new Float64Array(this.#length / this.#width)
    for (let row = 0; row < found.length; row++) {
      found[row] = this.#values[row * this.#width + column]!
    }
    return found
  }
}
