import type { Zone } from '../time/local-time.ts'

/** What rules and maintenance windows are compared with. */
export type AlarmFacts = Readonly<{
  structure: number
  /** The station it is about, or the stations that the sensor it is about feeds. */
  stations: readonly number[]
  /** The level after the transition. */
  level: number
  /** 1 data, 2 DTU, 3 sensor, 4 gateway, 5 node. */
  category: number
  /** The time zone of its structure. */
  zone: Zone
}>
