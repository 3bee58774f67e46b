import { startOfDate } from '../time/local-day.ts'
import type { Zone } from '../time/local-time.ts'

const UNITS = new Map([
  ['d', 'days'],
  ['w', 'weeks'],
  ['mo', 'months'],
  ['y', 'years'],
])

/**
 * Returns the instant before which records expire after a period such as `90d`, `12w`, `6mo`, `10y`.
 *
 * It is the start of a local day: whole days before it ended at least the period ago. Months and
 * years are calendar ones. In a month that is too short its last day counts: on 31 March a period of
 * a month begins on 28 February.
 */
export function retentionCutoff(period: string, now: number, zone: Zone): number {
  const [, count, suffix = ''] = /^([1-9]\d{0,4})(d|w|mo|y)$/.exec(period) ?? []
  const unit = UNITS.get(suffix)
  if (unit === undefined) throw new Error(`the retention period is ${period}, expected such as 90d`)
  const today = Temporal.PlainDate.from(zone.toLocal(now).slice(0, 10))
  const date = today.subtract({ [unit]: Number(count) })
  // There are no records before the year 1.
  return startOfDate(date.toString(), zone) ?? -Infinity
}
