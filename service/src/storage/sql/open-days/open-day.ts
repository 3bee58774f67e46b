import type { DayMarker } from '../../open-days/kept-day.ts'

/** The records of a window on one day of UTC, read in one state of the data. */
export type OpenDay = {
  day: number
  marker: DayMarker
  /** The instants that are covered, the last one not included. */
  from: number
  until: number
  /** The instant of the newest open record of the day. */
  newest: number
  text: Uint8Array
  hours: readonly HourOfDay[]
}

/** Records of an hour of a day of UTC: their bytes with a comma after each, and the newest instant. */
export type HourOfDay = readonly [hour: number, bytes: number, last: number]

/** A day that is to be kept is read in pages of as many records: half a megabyte of text. */
export const DAY_RECORDS = 4_000

/** The hour of an instant on its day of UTC, also before 1970. */
const HOUR = '(time % 86400000 + 86400000) % 86400000 / 3600000'

/** A query over rows `page` for the hours in which they are. */
export const hoursSql = (page: string): string =>
  `select ${HOUR} as hour, sum(octet_length(record) + 1) as bytes, max(time) as last
    from ${page} group by 1 order by 1`
