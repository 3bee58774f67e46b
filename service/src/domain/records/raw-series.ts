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

  /** Where the record nearest to an instant is, at most so far away; of two the earlier. */
  findNearest(time: number, reach: number): number | undefined {
    const after = findInstant(this.times, time)
    const later = (this.times[after] ?? Infinity) - time
    const earlier = time - (this.times[after - 1] ?? -Infinity)
    if (Math.min(later, earlier) > reach) return undefined
    return earlier <= later ? after - 1 : after
  }

  /** Whether a record lies so near to an instant, and is one that counts. */
  someNear(time: number, reach: number, counts: (time: number) => boolean): boolean {
    for (let at = findInstant(this.times, time - reach); at < this.times.length; at++) {
      const near = this.times[at]!
      if (near > time + reach) return false
      if (counts(near)) return true
    }
    return false
  }
}
