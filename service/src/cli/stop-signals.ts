/** Signals this close together are one: a process group's signal also arrives through launchers. */
const SAME_MILLISECONDS = 2_000

export type StopRequest = 'stop' | 'same' | 'now'

/** Distinguishes the first stop signal, its repetitions, and a later one, which ends the process. */
export class StopSignals {
  #first: number | undefined

  /** What a signal means; the time is that of a monotonic clock. */
  take(milliseconds: number): StopRequest {
    if (this.#first === undefined) {
      this.#first = milliseconds
      return 'stop'
    }
    return milliseconds - this.#first < SAME_MILLISECONDS ? 'same' : 'now'
  }
}
