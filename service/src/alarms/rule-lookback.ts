import type { StationBatch } from '../domain/alarms/station-evaluator.ts'
import { DAY_MS } from '../domain/time/wall-clock.ts'

const HOUR_MS = 3_600_000

/**
 * How far back rules have to read records to rebuild their states, in milliseconds.
 *
 * A frozen value needs `records` records less than `hours` apart; a rate its longest gap; a rate over
 * days these days and the one before.
 */
export function lookbackOf(batches: readonly StationBatch[]): number {
  const spans = batches.flatMap(({ items, raiseAfter }) => [
    // A number of records is looked for beyond it.
    ...(raiseAfter === undefined
      ? []
      : ['minutes' in raiseAfter ? raiseAfter.minutes * 60_000 : 1]),
    ...items.flatMap(({ rates = [], frozen }) => [
      ...rates.map(({ per, days, longestGap }) => {
        if (days !== undefined) return (days + 3) * DAY_MS
        return (longestGap + 2) * (per === 'hour' ? HOUR_MS : DAY_MS)
      }),
      ...(frozen === undefined ? [] : [Math.max(2, frozen.records) * frozen.hours * HOUR_MS]),
    ]),
  ])
  return Math.max(0, ...spans)
}
