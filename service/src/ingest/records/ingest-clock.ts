import type { BehindSources } from './behind-sources.ts'
import type { Arrival } from './read-time.ts'

type IngestClockOptions = {
  now(): number
  /** Throws a `RefusedError` while nothing may be stored; left out: nothing is checked. */
  requireIntake?: (() => void) | undefined
  /** The earliest time of a live record; left out: records of any past time are stored. */
  behind?: BehindSources | undefined
}

/** The clock for the arrival of records, and the earliest time that they may have. */
export class IngestClock {
  readonly #options: IngestClockOptions

  constructor(options: IngestClockOptions) {
    this.#options = options
  }

  now(): number {
    return this.#options.now()
  }

  get behind(): BehindSources | undefined {
    return this.#options.behind
  }

  /** Throws a `RefusedError` while the clock is wrong or the disk nearly full. */
  require(): void {
    this.#options.requireIntake?.()
  }

  /** The arrival of records now; throws a `RefusedError` while nothing may be stored. */
  arrive(): Arrival {
    this.require()
    return { now: this.now(), behind: this.behind }
  }

  /** The clock for records of any past time, entered by hand or imported. */
  ofPast(): IngestClock {
    const { now, requireIntake } = this.#options
    return new IngestClock({ now, requireIntake })
  }
}
