import type { BehindSources } from './behind-sources.ts'
import type { Arrival } from './read-time.ts'

export type IngestClockOptions = {
  now(): number
  /** Refuses everything while the clock is known to be wrong; left out: the clock is believed. */
  requireClock?: (() => void) | undefined
  /** The earliest time of a live record; left out: records of any past are stored. */
  behind?: BehindSources | undefined
}

/** The clock by which records arrive, and how far back their times may lie. */
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

  /** Refuses while the clock is known to be wrong. */
  require(): void {
    this.#options.requireClock?.()
  }

  /** The instant at which something comes in; refuses while the clock is known to be wrong. */
  arrive(): Arrival {
    this.require()
    return { now: this.now(), behind: this.behind }
  }

  /** The same clock for records that are entered by hand or imported, of any past. */
  ofPast(): IngestClock {
    const { now, requireClock } = this.#options
    return new IngestClock({ now, requireClock })
  }
}
