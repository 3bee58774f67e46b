/** Extremes of samples in blocks of growing size, so that any range is drawn in the time of its pixels. */
export class SamplePyramid {
  readonly samples: Float64Array
  /** Minima and maxima in turns; a block of a level has `FACTOR` blocks of the one before. */
  readonly #levels: Float64Array[] = []

  constructor(samples: Float64Array) {
    this.samples = samples
    let blocks = samples.length
    let below: Float64Array | undefined
    while (blocks > FACTOR) {
      const count = Math.ceil(blocks / FACTOR)
      const level = new Float64Array(2 * count)
      for (let block = 0; block < count; block++) {
        const end = Math.min(blocks, (block + 1) * FACTOR)
        let [low, high] = [Infinity, -Infinity]
        for (let at = block * FACTOR; at < end; at++) {
          low = Math.min(low, below === undefined ? samples[at]! : below[2 * at]!)
          high = Math.max(high, below === undefined ? samples[at]! : below[2 * at + 1]!)
        }
        level[2 * block] = low
        level[2 * block + 1] = high
      }
      this.#levels.push(level)
      below = level
      blocks = count
    }
  }

  /** The exact minimum and maximum of samples `from` to before `to`; infinite where there are none. */
  extremes(from: number, to: number): { low: number; high: number } {
    const found = { low: Infinity, high: -Infinity }
    this.#collect(0, Math.max(0, from), Math.min(this.samples.length, to), found)
    return found
  }

  /** Takes single blocks at both ends, and those between them from the next level. */
  #collect(depth: number, from: number, to: number, found: { low: number; high: number }): void {
    const above = this.#levels[depth]
    const firstWhole = Math.ceil(from / FACTOR)
    const lastWhole = Math.floor(to / FACTOR)
    if (above === undefined || firstWhole >= lastWhole) return this.#take(depth, from, to, found)
    this.#take(depth, from, firstWhole * FACTOR, found)
    this.#collect(depth + 1, firstWhole, lastWhole, found)
    this.#take(depth, lastWhole * FACTOR, to, found)
  }

  #take(depth: number, from: number, to: number, found: { low: number; high: number }): void {
    const level = depth === 0 ? undefined : this.#levels[depth - 1]!
    for (let at = from; at < to; at++) {
      found.low = Math.min(found.low, level === undefined ? this.samples[at]! : level[2 * at]!)
      found.high = Math.max(
        found.high,
        level === undefined ? this.samples[at]! : level[2 * at + 1]!,
      )
    }
  }
}

const FACTOR = 16
