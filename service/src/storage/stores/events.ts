import type { AlarmDetail } from '@plumbline/contract'
import type { StoredAlarm } from './alarms.ts'

/** A transition of an alarm, by its place in the order of all transitions. */
export type StoredEvent = {
  id: number
  step: number
  alarm: StoredAlarm
  detail: AlarmDetail
}

/** The transitions of alarms in their order, for a limited time. The outbox adds them. */
export interface EventStore {
  /** The ids of the first and the last event that is kept; 0 while there was none. */
  bounds(): Promise<{ first: number; last: number }>

  /**
   * The events after an id, at most `limit`; `last` is the id of the last one that was looked at. Events
   * of alarms that were deleted are left out.
   */
  list(after: number, limit: number): Promise<{ last: number; events: StoredEvent[] }>

  /** Deletes the events from before an instant, but for the last one. */
  expire(before: number): Promise<void>
}
