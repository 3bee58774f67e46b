/** Signals within this time count as one: launchers forward the signal of a process group again. */
const SAME_MILLISECONDS = 2_000

/** What a signal demands: to stop, nothing new, or to exit immediately. */
type StopRequest = 'stop' | 'same' | 'now'

/** Distinguishes the first stop signal, its repetitions, and a later one, which ends the process. */
export class StopSignals {
  #first: number | undefined

  /** Takes a signal that came at a time of a monotonic clock. */
  take(milliseconds: number): StopRequest {
    if (this.#first === undefined) {
      this.#first = milliseconds
      return 'stop'
    }
    return milliseconds - this.#first < SAME_MILLISECONDS ? 'same' : 'now'
  }
}
