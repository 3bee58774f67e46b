import type { ThresholdBatch } from '@plumbline/client'

/** A range of values that violates a level; infinite ends have no line. */
export type Band = {
  level: number
  low: number
  high: number
  /** Seconds of the day at which the band begins and ends; undefined: always. */
  slot: { start: number; end: number } | undefined
}

/** The intervals of a threshold, `(-,-5];(5,10)`: `-` and `+` are the infinities. */
export function parseIntervals(text: string): { low: number; high: number }[] {
  return Array.from(
    text.matchAll(/[([]\s*([^,;]+?)\s*,\s*([^,;]+?)\s*[)\]]/g),
    ([, low, high]) => ({
      low: low === '-' ? -Infinity : Number(low),
      high: high === '+' ? Infinity : Number(high),
    }),
  ).filter(({ low, high }) => low <= high)
}

/** The bands of an item at a station. */
export function bandsOf(
  batches: readonly ThresholdBatch[],
  stationId: number,
  itemName: string,
): Band[] {
  return batches
    .filter(({ data }) => data.stations.some(({ id }) => id === stationId))
    .flatMap(({ data }) => data.items.filter(({ name }) => name === itemName))
    .flatMap(({ config }) => config)
    .flatMap(({ startTime, endTime, thresholds }) =>
      thresholds.flatMap(({ level, value }) =>
        parseIntervals(value).map((interval) => ({
          level,
          ...interval,
          slot:
            startTime === null || endTime === null
              ? undefined
              : { start: secondsOfDay(startTime), end: secondsOfDay(endTime) },
        })),
      ),
    )
}

function secondsOfDay(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = (text.split(/[ T]/)[1] ?? '').split(':').map(Number)
  return hours * 3600 + minutes * 60 + seconds
}

const DAY = 86_400

/** When a band holds within a window. A slot may cross midnight. */
export function spansOf(
  { slot }: Pick<Band, 'slot'>,
  from: number,
  to: number,
): { from: number; to: number }[] {
  if (slot === undefined) return [{ from, to }]
  const length = (slot.end - slot.start + DAY) % DAY || DAY
  const first = Math.floor(from / DAY) * DAY - DAY + slot.start
  const spans = []
  for (let start = first; start < to; start += DAY)
    if (start + length > from)
      spans.push({ from: Math.max(start, from), to: Math.min(start + length, to) })
  return spans
}

/** The ends of bands near the values, which a chart shows with them. */
export function nearEnds(bands: readonly Band[], minimum: number, maximum: number): number[] {
  const reach = (maximum - minimum || Math.abs(maximum) || 1) * 1.5
  return bands
    .flatMap(({ low, high }) => [low, high])
    .filter((end) => end >= minimum - reach && end <= maximum + reach)
}
