import { startOfDate } from '../time/local-day.ts'
import type { Zone } from '../time/local-time.ts'

/** What may be kept for a term: station values, raw values, waveforms and vehicles. */
export type RetainedKind = 'theme' | 'raw' | 'vibration' | 'traffic'

/** How long a structure keeps records, such as `{ theme: '10y' }`; what is left out stays for ever. */
export type Retention = { [Kind in RetainedKind]?: string }

const UNITS = { d: 'days', w: 'weeks', mo: 'months', y: 'years' } as const

/**
 * The instant before which nothing has to be kept for a term such as `90d`, `12w`, `6mo` or `10y`.
 *
 * It is the start of a local day: what lies before it are whole days that ended at least the term
 * ago. Months and years are those of the calendar; where the month is too short its last day
 * counts, so that on 31 March a term of a month reaches back to 28 February.
 */
export function retentionCutoff(term: string, now: number, zone: Zone): number {
  const [, count, unit] = /^([1-9]\d{0,4})(d|w|mo|y)$/.exec(term) ?? []
  if (count === undefined) throw new Error(`${term} is no term such as 90d`)
  const today = Temporal.PlainDate.from(zone.toLocal(now).slice(0, 10))
  const date = today.subtract({ [UNITS[unit as keyof typeof UNITS]]: Number(count) })
  // There are no records of before the year 1.
  return startOfDate(date.toString(), zone) ?? -Infinity
}
