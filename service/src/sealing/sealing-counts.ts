/** What this instance has sealed since its start. */
export type SealingState = {
  /** When the last run ended; undefined before the first one, or where another instance seals. */
  lastRunAt: number | undefined
  records: number
  days: number
  /** Days that the last run did not seal: damaged ones, and ones that received records meanwhile. */
  damagedDays: number
  daysLeft: number
}

type SealingRun = { records: number; days: number; left: number; damages: readonly string[] }

/** Counts what is sealed, for operators. */
export class SealingCounts {
  #state: SealingState = { lastRunAt: undefined, records: 0, days: 0, damagedDays: 0, daysLeft: 0 }

  get state(): SealingState {
    return this.#state
  }

  note({ records, days, left, damages }: SealingRun, now: number): void {
    this.#state = {
      lastRunAt: now,
      records: this.#state.records + records,
      days: this.#state.days + days,
      damagedDays: damages.length,
      daysLeft: left,
    }
  }
}
