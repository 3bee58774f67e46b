import { addItems, type ItemSummary, type PeriodSummary } from './hour-summary.ts'
import type { Zone } from '../time/local-time.ts'
import { HOUR_MS, Periods } from '../time/periods.ts'
import { DAY_MS } from '../time/wall-clock.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60_000
const WEEK_MS = 7 * DAY_MS

/** Widths in milliseconds that divide a second. */
const SUB_SECOND_WIDTHS = [1, 2, 5, 10, 20, 50, 100, 200, 500]

/** The widths of buckets up to a week, followed by 2, 4, 8 and so on weeks. */
const WIDTHS = [
  ...SUB_SECOND_WIDTHS,
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE_MS),
  ...[1, 2, 3, 4, 6, 8, 12].map((count) => count * HOUR_MS),
  ...[1, 2].map((count) => count * DAY_MS),
  WEEK_MS,
]

type Window = { from: number; to: number }

/** Returns the smallest buckets of which a window touches at most `points`. */
export function chooseBuckets({ from, to }: Window, points: number, zone: Zone): Periods {
  if (from > to) return new Periods(SECOND_MS, zone)
  for (const width of widths()) {
    const buckets = new Periods(width, zone)
    if (buckets.count(from, to, points) <= points) return buckets
  }
  throw new RangeError(`no width divides a window into at most ${points} buckets`)
}

/** The last width contains all years up to 9999. */
function* widths(): Generator<number> {
  yield* WIDTHS
  for (let width = 2 * WEEK_MS; width <= 2 ** 20 * WEEK_MS; width *= 2) yield width
}

/** Merges summaries of shorter periods into buckets; both ascend. */
export class BucketBuilder {
  readonly buckets: PeriodSummary[] = []
  readonly #periods: Periods
  #items: PeriodSummary['items'] = new Map()
  #end = -Infinity

  constructor(periods: Periods) {
    this.#periods = periods
  }

  add({ start, items }: PeriodSummary): void {
    if (start >= this.#end) {
      const period = this.#periods.at(start)
      this.#end = period.end
      this.#items = new Map()
      this.buckets.push({ start: period.start, items: this.#items })
    }
    addItems(this.#items, items)
  }
}

/** Returns the mean, limited to minimum and maximum because of rounding and overflow. */
export function meanOf({ minimum, maximum, sum, count }: ItemSummary): number {
  const mean = sum / count
  if (mean > maximum) return maximum
  return mean >= minimum ? mean : minimum
}
