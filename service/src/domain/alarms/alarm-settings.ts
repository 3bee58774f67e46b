import type { QualityClass } from '../quality/quality.ts'

/** Which level is the most severe: the lowest number or the highest. */
export type Severity = 'lowestFirst' | 'highestFirst'

/**
 * How far a value must be inside its limits to count as normal: in the item's unit, or in percent
 * of the distance between the limits.
 */
export type Hysteresis = { value: number } | { percent: number }

/** The limit of one level of a rate of change, in the item's unit per hour or day. */
type RateLevel = { level: number; limit: number }

/** Which changes count for a rate; left out: those up and those down. */
export type RateDirection = 'both' | 'rising' | 'falling'

/**
 * A change per hour or per day that reaches a limit; with `days`, on that many days in a row. It is
 * measured over an hour or a day, over `overMinutes`, or from each record to the next. A reference
 * value older than `longestGap` hours or days is not used.
 */
export type RateSettings = {
  per: 'hour' | 'day'
  days?: number
  overMinutes?: number
  consecutive?: boolean
  direction?: RateDirection
  longestGap: number
  levels: RateLevel[]
}

/** The quality that a rule gives a value; left out: that of `RULE_QUALITIES`. */
type RuleQuality = { quality?: QualityClass }

/** The range that the instrument can measure, ends included; a missing end is open. */
export type RangeSettings = { low?: number; high?: number; level: number } & RuleQuality

/** A value farther than `deviation` from the median of the newest `records` values, an odd number. */
export type SpikeSettings = {
  deviation: number
  records: 3 | 5 | 7 | 9 | 11 | 13 | 15
  quality?: Exclude<QualityClass, 'good'>
}

/** A value that changes by at most `epsilon` for `hours`, in at least `records` records. */
export type FrozenSettings = {
  hours: number
  epsilon: number
  records: number
  level: number
} & RuleQuality

/** Percentages of a design value, on its side of zero or, if symmetric, on both sides. */
export type DesignSettings = {
  value: number
  isSymmetric: boolean
  levels: { level: number; percent: number }[]
}

/** The rules of an item, besides its thresholds. */
export type ItemRules = {
  rates?: RateSettings[]
  range?: RangeSettings
  spike?: SpikeSettings
  frozen?: FrozenSettings
  design?: DesignSettings
}

/** The on-delay: how many of the newest records, or for how many minutes, a level must be reached. */
export type RaiseSettings = { records: number; of: number } | { minutes: number }

/** Whether a threshold batch is evaluated, and how the alarms of its stations are raised and closed. */
export type BatchSettings = {
  /** By default true. */
  enabled?: boolean
  /** Left out: the first violation raises an alarm. */
  raiseAfter?: RaiseSettings
  /** The off-delay: the number of normal records in a row that clear an alarm; left out: 1. */
  clearAfter?: number
  /** The minutes for which these records must have been normal; left out: 0. */
  clearAfterMinutes?: number
  /** Whether an alarm stays open until a person confirms it. */
  needsPerson?: boolean
}

/** The off-delay that a threshold batch without one is stored with. */
export const DEFAULT_OFF_DELAY = { clearAfter: 3, clearAfterMinutes: 60 }

/** The settings of all alarms of a structure. */
export type StructureAlarms = {
  severity: Severity
  /** A device is offline after more than this number of its intervals without a contact. */
  offlineAfter: number
  /** The level of the alarms of devices. */
  deviceLevel: number
  /** Whether uncertain values are evaluated. */
  evaluateUncertain: boolean
}

/** The settings of a structure without its own. */
export const STRUCTURE_ALARMS: StructureAlarms = {
  severity: 'lowestFirst',
  offlineAfter: 3,
  deviceLevel: 3,
  evaluateUncertain: true,
}

/** Whether level `a` is more severe than level `b`. */
export function isMoreSevere(a: number, b: number, severity: Severity): boolean {
  return severity === 'lowestFirst' ? a < b : a > b
}
