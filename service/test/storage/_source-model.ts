import { summarizeHours, type HourSummary } from '../../src/domain/records/hour-summary.ts'
import type { Zone } from '../../src/domain/time/local-time.ts'
import { EVER } from './_place.ts'

/** From one instant to another, both inclusive. */
export type Window = { from: number; to: number }

/** What a change did to each record; `undefined` stands for none. */
export type ModelChange = Map<number, { written: number | undefined; previous: number | undefined }>

/** The records of one source as a plain map has them. */
export class SourceModel {
  readonly zone: Zone
  readonly #values = new Map<number, number>()
  #times: number[] | undefined

  constructor(zone: Zone) {
    this.zone = zone
  }

  /** Where records lie, in order. */
  get times(): readonly number[] {
    return (this.#times ??= [...this.#values.keys()].toSorted((a, b) => a - b))
  }

  has(time: number): boolean {
    return this.#values.has(time)
  }

  write(times: readonly number[], value: number): ModelChange {
    return this.#change(times, value)
  }

  remove(times: readonly number[]): ModelChange {
    return this.#change(
      times.filter((time) => this.has(time)),
      undefined,
    )
  }

  /** What was written since is kept. */
  undo(change: ModelChange): void {
    for (const [time, { written, previous }] of change)
      if (this.#values.get(time) === written) this.#set(time, previous)
  }

  timesIn({ from, to }: Window): number[] {
    return this.times.filter((time) => time >= from && time <= to)
  }

  texts(window: Window = EVER): string[] {
    return this.timesIn(window).map((time) => recordText(this.zone, time, this.#values.get(time)!))
  }

  hours(window: Window): HourSummary[] {
    return summarizeHours(this.texts(window).join(), this.timesIn(window), this.zone)
  }

  #change(times: readonly number[], value: number | undefined): ModelChange {
    const change: ModelChange = new Map()
    for (const time of new Set(times)) {
      change.set(time, { written: value, previous: this.#values.get(time) })
      this.#set(time, value)
    }
    return change
  }

  #set(time: number, value: number | undefined): void {
    this.#times = undefined
    if (value === undefined) this.#values.delete(time)
    else this.#values.set(time, value)
  }
}

/** A record as it is served, by the clock of its source. */
export const recordText = (zone: Zone, time: number, value: number): string =>
  `{"v":${value},"time":"${zone.toLocal(time)}"}`
