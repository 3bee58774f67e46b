import { series } from './series.ts'
import { DAY_RECORDS, FIRST_INSTANT, ITEM_KEYS, MINUTE, STATION_COUNT, stationIds } from './site.ts'
import { SITE_ZONE } from './series.ts'

export const BATCH_RECORDS = 1_000

/** A record as a logger sends it. */
export type SentRecord = { station: number; time: string; values: Record<string, number> }

const DAY = [...series(DAY_RECORDS)]

/** The record of a station at a minute counted from the first instant. */
function sentRecord(station: number, minute: number): SentRecord {
  const { values } = DAY[(minute + station) % DAY_RECORDS]!
  return {
    station,
    time: SITE_ZONE.toLocal(FIRST_INSTANT + minute * MINUTE),
    values: Object.fromEntries(ITEM_KEYS.map((key, at) => [key, values[at]!])),
  }
}

/** A gateway's batch: every station, a few minutes. */
export function gatewayBatch(number: number): SentRecord[] {
  const minutes = BATCH_RECORDS / STATION_COUNT
  return Array.from({ length: minutes }, (_, at) => number * minutes + at).flatMap(minuteBatch)
}

/** Every station's record of one minute. */
export const minuteBatch = (minute: number): SentRecord[] => minuteOf(stationIds(), minute)

/** The record of each of some stations at one minute. */
export const minuteOf = (stations: readonly number[], minute: number): SentRecord[] =>
  stations.map((station) => sentRecord(station, minute))

/** A logger's batch that catches up: one station, a thousand minutes. */
export function loggerBatch(number: number): SentRecord[] {
  const first = Math.floor(number / STATION_COUNT) * BATCH_RECORDS
  return Array.from({ length: BATCH_RECORDS }, (_, at) =>
    sentRecord((number % STATION_COUNT) + 1, first + at),
  )
}

/** One record; consecutive numbers go round the stations. */
export const singleRecord = (number: number): SentRecord[] => [
  sentRecord((number % STATION_COUNT) + 1, Math.floor(number / STATION_COUNT)),
]
