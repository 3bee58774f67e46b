/** Signals so close together are one: a group's signal arrives directly and through launchers. */
const SAME_MILLISECONDS = 2_000

export type StopStep = 'stop' | 'same' | 'now'

/** Tells the first signal to stop, its repetitions, and a later one, which means at once. */
export class StopSignals {
  #first: number | undefined

  /** What a signal at an instant of a monotonic clock means. */
  take(milliseconds: number): StopStep {
    if (this.#first === undefined) {
      this.#first = milliseconds
      return 'stop'
    }
    return milliseconds - this.#first < SAME_MILLISECONDS ? 'same' : 'now'
  }
}
