import type { Zone } from '../time/local-time.ts'

/** The members of an alarm that rules and maintenance windows depend on. */
export type AlarmFacts = Readonly<{
  structure: number
  /** The station of the alarm, or the stations that are derived from its sensor. */
  stations: readonly number[]
  /** The level after the transition. */
  level: number
  /** 1 data, 2 DTU, 3 sensor, 4 gateway, 5 node. */
  category: number
  /** The time zone of its structure. */
  zone: Zone
}>
