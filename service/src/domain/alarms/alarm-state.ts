import type { AlarmStateCode } from './lifecycle-table.ts'

/**
 * The newest alarm of a source and alarm type, open or closed. Plain JSON.
 *
 * A source that never had an alarm of the type has no state.
 */
export type AlarmState = Readonly<{
  stateCode: AlarmStateCode
  /** The most severe level so far, and the text of the newest record at it. */
  level: number
  content: string
  count: number
  startTime: number
  /** The instant of the newest counted record, or that of the end. */
  endTime: number
  /** The keys of the items that violated a limit in this alarm. */
  items: readonly string[]
  /** The newest instant counted as a violation. */
  violationAt: number
  /** The newest instant counted as normal, and the number of normal records in a row. */
  normalAt: number | null
  normalCount: number
  /** The first instant of that row; left out where the row is of a state without it, or there is none. */
  normalSince?: number
  /** It was closed because the records that raised it were deleted; they may be restored. */
  isWithdrawn?: boolean
}>

/** Whether an alarm is open: listed as `new` by the interface. */
export function isOpen({ stateCode }: Pick<AlarmState, 'stateCode'>): boolean {
  return stateCode < 3
}

/** A transition as the interface lists it, with an instant instead of a local time. */
export type TransitionDetail = Readonly<{
  sponsor: string
  alarmCode: string
  alarmState: AlarmStateCode
  currentLevel: number
  content: string
  time: number
}>

/** The result of an event. */
export type AlarmTransition =
  | Readonly<{ kind: 'none' }>
  /** Progress of the off-delay, which is not listed. */
  | Readonly<{ kind: 'offDelay'; state: AlarmState; isLate: boolean }>
  /** With `raised` the state is that of a new alarm, which gets a new id. */
  | Readonly<{
      kind: 'raised' | 'repeated' | 'escalated' | 'cleared' | 'confirmed'
      state: AlarmState
      detail: TransitionDetail
      /** Whether the record is a late one, which causes no notification. */
      isLate: boolean
    }>
