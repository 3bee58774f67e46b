import { findInstant, type RecordList } from './record-list.ts'

/** What a sensor sent within a span, oldest first. */
export class RawSeries {
  readonly times: readonly number[]
  readonly #texts: readonly Uint8Array[]
  readonly #values: (Readonly<Record<string, unknown>> | undefined)[] = []

  constructor(lists: readonly RecordList[]) {
    this.times = lists.flatMap(({ times }) => Array.from(times))
    this.#texts = lists.flatMap(({ texts }) => texts)
  }

  /** The value of a raw item in the record at a place. */
  valueAt(index: number, key: string): number | undefined {
    const values = (this.#values[index] ??= JSON.parse(
      Buffer.from(this.#texts[index]!).toString(),
    ) as Record<string, unknown>)
    const value = Object.hasOwn(values, key) ? values[key] : undefined
    return typeof value === 'number' ? value : undefined
  }

  /** The index of the record nearest to an instant, at most `within` away; of two the earlier. */
  findNearest(time: number, within: number): number | undefined {
    const after = findInstant(this.times, time)
    const later = (this.times[after] ?? Infinity) - time
    const earlier = time - (this.times[after - 1] ?? -Infinity)
    if (Math.min(later, earlier) > within) return undefined
    return earlier <= later ? after - 1 : after
  }

  /** Whether a record within a distance of an instant counts. */
  someWithin(time: number, within: number, counts: (time: number) => boolean): boolean {
    for (let at = findInstant(this.times, time - within); at < this.times.length; at++) {
      const other = this.times[at]!
      if (other > time + within) return false
      if (counts(other)) return true
    }
    return false
  }
}
