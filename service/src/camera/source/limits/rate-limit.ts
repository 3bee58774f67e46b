const SLOT_MILLISECONDS = 500

const BYTES_PER_MEGABIT = 125_000

/** Limits bytes as an average over some seconds. */
export class RateLimit {
  readonly #most: number
  readonly #slots: number[]
  #newest = Number.NEGATIVE_INFINITY
  #sum = 0

  constructor({ megabits, seconds }: { megabits: number; seconds: number }) {
    this.#most = megabits * BYTES_PER_MEGABIT * seconds
    this.#slots = Array.from({ length: Math.ceil((seconds * 1000) / SLOT_MILLISECONDS) }, () => 0)
  }

  /** Counts bytes at a time of a monotonic clock; true when they are too many. */
  isExceededBy(bytes: number, milliseconds: number): boolean {
    const slot = Math.floor(milliseconds / SLOT_MILLISECONDS)
    this.#forgetBefore(slot)
    const at = slot % this.#slots.length
    this.#slots[at] = (this.#slots[at] ?? 0) + bytes
    this.#sum += bytes
    return this.#sum > this.#most
  }

  #forgetBefore(slot: number): void {
    const { length } = this.#slots
    for (let next = Math.max(this.#newest + 1, slot - length + 1); next <= slot; next++) {
      this.#sum -= this.#slots[next % length] ?? 0
      this.#slots[next % length] = 0
    }
    this.#newest = slot
  }
}
