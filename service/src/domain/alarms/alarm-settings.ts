/** Which level numbers are the worse ones: level 1, or the highest. */
export type Severity = 'lowestFirst' | 'highestFirst'

/**
 * How far a value must be back in the normal band before it counts as normal: by a value in the
 * item's unit, or by a percentage of the band's width.
 */
export type Hysteresis = { value: number } | { percent: number }

/** A limit of one level of a rate of change, in the item's unit per hour or day. */
export type RateLevel = { level: number; limit: number }

/**
 * A change per hour or per day, up or down, that reaches a limit; with `days`, on so many days in
 * a row. A reference more than `longestGap` hours or days old is none.
 */
export type RateSettings = {
  per: 'hour' | 'day'
  days?: number
  longestGap: number
  levels: RateLevel[]
}

/** What the instrument can measure; an end left out is open. The ends themselves are in range. */
export type RangeSettings = { low?: number; high?: number; level: number }

/** A value that moves no more than `epsilon` for so many hours, over at least so many records. */
export type FrozenSettings = { hours: number; epsilon: number; records: number; level: number }

/** Percentages of a design value, on its own side of zero or, when symmetric, on both. */
export type DesignSettings = {
  value: number
  isSymmetric: boolean
  levels: { level: number; percent: number }[]
}

/** What else an item is watched for, besides its thresholds. */
export type ItemRules = {
  rates?: RateSettings[]
  range?: RangeSettings
  frozen?: FrozenSettings
  design?: DesignSettings
}

/** How the alarms of the stations of a batch end. */
export type ClearSettings = {
  /** So many normal records in a row clear an alarm; 1 where it is left out. */
  clearAfter?: number
  /** An alarm stays until a person confirms it. */
  needsPerson?: boolean
}

/** What holds for all alarms of a structure. */
export type StructureAlarms = {
  severity: Severity
  /** A device is offline when it was silent for more than so many of its intervals. */
  offlineAfter: number
  /** The level of alarms about devices. */
  deviceLevel: number
}

/** What holds where a structure says nothing. */
export const STRUCTURE_ALARMS: StructureAlarms = {
  severity: 'lowestFirst',
  offlineAfter: 3,
  deviceLevel: 3,
}

/** Whether level `a` is worse than level `b`. */
export function isMoreSevere(a: number, b: number, severity: Severity): boolean {
  return severity === 'lowestFirst' ? a < b : a > b
}
