import type { Zone } from '../time/local-time.ts'

/** What rules and maintenance windows ask of an alarm. */
export type Subject = Readonly<{
  structure: number
  /** The station it is about, or the stations that the sensor it is about feeds. */
  stations: readonly number[]
  /** The level at the step that is told of. */
  level: number
  /** 1 data, 2 DTU, 3 sensor, 4 gateway, 5 node. */
  category: number
  /** The clock of its structure. */
  zone: Zone
}>
