import type { Division } from './divide-records.ts'
import { KeptRecords } from './kept-records.ts'
import type { DeflatedText } from '../stores/records.ts'

/** What the database counts of a day: `rewrites` stays where records are only appended. */
export type DayMarker = { rewrites: number; revision: number }

/** The instants of a day that were read in one state of the data. */
export type Coverage = {
  marker: DayMarker
  /** The first instant, and the first that is not covered any more. */
  from: number
  until: number
  /** The instants before it get no record unless the day is rewritten. */
  settled: number
}

/** Records that are kept, and the first instant after them. */
export type KeptPart = { chunks: DeflatedText[]; next: number }

/** The records of a source on a day of UTC, as far as they were read and compressed. */
export class KeptDay {
  /** The first instant that is covered. */
  readonly from: number
  /** The first instant that is not to be covered: records from there on are sealed, or of the next day. */
  readonly end: number
  readonly #records: KeptRecords
  #marker: DayMarker
  #until: number
  #settled: number

  /** `start`: the first instant of the day. */
  constructor({ from, marker }: Pick<Coverage, 'from' | 'marker'>, start: number, end: number) {
    this.from = from
    this.end = end
    this.#records = new KeptRecords(start)
    this.#marker = marker
    this.#until = from
    this.#settled = from
  }

  get size(): number {
    return this.#records.size
  }

  get count(): number {
    return this.#records.count
  }

  /** The text of the last records, which new ones join. */
  get tail(): Uint8Array {
    return this.#records.tail
  }

  /** Where what is to be appended has to begin. */
  get settled(): number {
    return this.#settled
  }

  /** Whether it was not rewritten since. */
  isValid({ rewrites }: DayMarker): boolean {
    return rewrites === this.#marker.rewrites
  }

  /** The first instant that is not known by a marker. */
  knownUntil(marker: DayMarker): number {
    if (!this.isValid(marker)) return this.from
    return marker.revision === this.#marker.revision ? this.#until : this.#settled
  }

  /** Appends records that were read from `settled` on, in a state in which the day was not rewritten. */
  append(
    { marker, until, settled }: Omit<Coverage, 'from'>,
    times: readonly number[],
    division: Division,
    stretches: readonly DeflatedText[],
  ): void {
    this.#records.append(times, division, stretches)
    this.#marker = marker
    this.#until = until
    this.#settled = settled
  }

  /**
   * The records from an instant on and up to another, as far as they are known by the marker;
   * undefined where nothing is known at that instant.
   */
  cut(marker: DayMarker, from: number, to: number): KeptPart | undefined {
    const next = Math.min(this.knownUntil(marker), to + 1)
    if (from < this.from || from >= next) return undefined
    const records = this.#records
    return { chunks: records.chunks(records.placeOf(from), records.placeOf(next)), next }
  }
}
