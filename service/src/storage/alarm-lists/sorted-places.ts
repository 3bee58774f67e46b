import { grow } from './grow.ts'

const DIGIT = 65_536

/** The places of a column in the order of its whole numbers; ties are in the order of places. */
export class SortedPlaces {
  #column = new Float64Array(0)
  #order = new Uint32Array(0)
  #size = 0
  #sorted = 0
  /** What changed since the order was made, with the number that a place is sorted by in it. */
  readonly #changed = new Map<number, number>()

  /** The column itself, by place. */
  get column(): Float64Array {
    return this.#column
  }

  /** Sets the number of a place: one that is known, or the next. */
  set(place: number, number: number): void {
    if (place === this.#size) {
      this.#size++
      this.#column = grow(this.#column, this.#size)
    } else if (place < this.#sorted && this.#column[place] !== number) {
      if (!this.#changed.has(place)) this.#changed.set(place, this.#column[place]!)
    }
    this.#column[place] = number
  }

  /** All places in order; to be read before anything is set again. */
  inOrder(): Uint32Array {
    const changes = this.#changed.size + this.#size - this.#sorted
    if (changes > this.#size / 64) this.#order = sortPlaces(this.#column.subarray(0, this.#size))
    else if (changes > 0) this.#order = this.#merge()
    this.#changed.clear()
    this.#sorted = this.#size
    return this.#order
  }

  /** Takes what changed out of the order and puts it, with what is new, where it belongs. */
  #merge(): Uint32Array<ArrayBuffer> {
    const old = this.#order
    const moved = [...this.#changed.keys()]
    const added = Array.from({ length: this.#size - this.#sorted }, (_, at) => this.#sorted + at)
    const gaps = moved.map((place) => this.#positionOf(this.#changed.get(place)!, place))
    const incoming = [...moved, ...added]
      .map((place) => ({ place, number: this.#column[place]! }))
      .toSorted((one, two) => one.number - two.number || one.place - two.place)
      .map(({ place, number }) => ({ place, at: this.#positionOf(number, place) }))

    const order = new Uint32Array(this.#size)
    let read = 0
    let written = 0
    const copyUpTo = (end: number): void => {
      order.set(old.subarray(read, end), written)
      written += end - read
      read = end
    }
    const left = gaps.toSorted((one, two) => one - two)
    const leaveOut = (end: number): void => {
      while (left.length > 0 && left[0]! < end) {
        copyUpTo(left.shift()!)
        read++
      }
      copyUpTo(end)
    }
    for (const { place, at } of incoming) {
      leaveOut(Math.max(at, read))
      order[written++] = place
    }
    leaveOut(old.length)
    return order
  }

  /** Where a number of a place stands in the order as it was made, or would stand. */
  #positionOf(number: number, place: number): number {
    let [low, high] = [0, this.#order.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = this.#order[middle]!
      const own = this.#changed.get(other) ?? this.#column[other]!
      if (own < number || (own === number && other < place)) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Digit by digit from the last one, each time keeping the order of those before it. */
function sortPlaces(column: Float64Array): Uint32Array<ArrayBuffer> {
  let least = Infinity
  let greatest = -Infinity
  for (let place = 0; place < column.length; place++) {
    least = Math.min(least, column[place]!)
    greatest = Math.max(greatest, column[place]!)
  }
  let order = new Uint32Array(column.length)
  for (let place = 0; place < column.length; place++) order[place] = place
  let next = new Uint32Array(column.length)
  const starts = new Uint32Array(DIGIT + 1)
  for (let unit = 1; unit <= greatest - least; unit *= DIGIT) {
    starts.fill(0)
    const digitOf = (place: number) => Math.trunc((column[place]! - least) / unit) % DIGIT
    for (let place = 0; place < column.length; place++) starts[digitOf(place) + 1]! += 1
    for (let digit = 0; digit < DIGIT; digit++) starts[digit + 1]! += starts[digit]!
    for (let at = 0; at < order.length; at++) {
      const place = order[at]!
      next[starts[digitOf(place)]!++] = place
    }
    ;[order, next] = [next, order]
  }
  return order
}
