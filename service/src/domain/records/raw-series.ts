import { findInstant, type RecordList } from './record-list.ts'
import { parseRecord, type RecordMembers } from './record-values.ts'

/** The keys of the uncertain values of records, by instant. */
export type UncertainKeys = ReadonlyMap<number, ReadonlySet<string>>

/** The raw records of a sensor in a span, oldest first. */
export class RawSeries {
  readonly times: readonly number[]
  readonly #texts: readonly Uint8Array[]
  readonly #values: (RecordMembers | undefined)[] = []
  readonly #uncertain: UncertainKeys
  readonly #bad: readonly number[]
  #uncertainReads = 0

  /**
   * `uncertain`: the keys of uncertain values, by the instant of their record. `marked`: the ascending
   * instants with marks, also of records whose values are all bad.
   */
  constructor(
    lists: readonly RecordList[],
    uncertain: UncertainKeys = new Map(),
    marked: readonly number[] = [],
  ) {
    this.#uncertain = uncertain
    this.times = lists.flatMap(({ times }) => Array.from(times))
    const known = new Set(marked.length === 0 ? [] : this.times)
    this.#bad = marked.filter((time) => !known.has(time))
    this.#texts = lists.flatMap(({ texts }) => texts)
  }

  /** Whether any of the values is uncertain. */
  get hasUncertain(): boolean {
    return this.#uncertain.size > 0
  }

  /** How many uncertain values `valueNear` has returned so far. */
  get uncertainReads(): number {
    return this.#uncertainReads
  }

  /** Returns the instants from one whole millisecond to another, both inclusive. */
  timesBetween(from: number, to: number): readonly number[] {
    return this.times.slice(findInstant(this.times, from), findInstant(this.times, to + 1))
  }

  /** Returns the instants of records with bad values only, both bounds inclusive: nothing is derived there. */
  badBetween(from: number, to: number): readonly number[] {
    return this.#bad.filter((time) => time >= from && time <= to)
  }

  /** Returns the instant of the record nearest to `time`, at most `within` away. */
  timeNear(time: number, within: number): number | undefined {
    const nearest = this.#findNearest(time, within)
    return nearest === undefined ? undefined : this.times[nearest]
  }

  /** Returns the value of a raw item in the record nearest to `time`, at most `within` away. */
  valueNear(time: number, within: number, key: string): number | undefined {
    const nearest = this.#findNearest(time, within)
    if (nearest === undefined) return undefined
    const instant = this.times[nearest]
    if (instant !== undefined && this.#uncertain.get(instant)?.has(key)) this.#uncertainReads++
    return this.#valueAt(nearest, key)
  }

  #valueAt(index: number, key: string): number | undefined {
    const text = this.#texts[index]
    if (text === undefined) return undefined
    const values = (this.#values[index] ??= parseRecord(Buffer.from(text).toString()))
    const value = Object.hasOwn(values, key) ? values[key] : undefined
    return typeof value === 'number' ? value : undefined
  }

  /** Of two records at the same distance it is the earlier one. */
  #findNearest(time: number, within: number): number | undefined {
    const after = findInstant(this.times, time)
    const later = (this.times[after] ?? Infinity) - time
    const earlier = time - (this.times[after - 1] ?? -Infinity)
    if (Math.min(later, earlier) > within) return undefined
    return earlier <= later ? after - 1 : after
  }

  /** Whether `matches` is true for the instant of a record at most `within` away from `time`. */
  someWithin(time: number, within: number, matches: (time: number) => boolean): boolean {
    for (let at = findInstant(this.times, time - within); at < this.times.length; at++) {
      const other = this.times[at]
      if (other === undefined || other > time + within) return false
      if (matches(other)) return true
    }
    return false
  }
}
