import type { AlarmDetail } from '@plumbline/contract'
import type { StoredAlarm } from './alarms.ts'
import type { NewDelivery } from './deliveries.ts'

/** A transition of an alarm that is to be notified. */
export type NewOutboxEntry = {
  alarm: number
  /** The place of the transition among the alarm's details. */
  step: number
  isLate: boolean
  createdAt: number
}

export type OutboxEntry = NewOutboxEntry & {
  id: number
  /** Undefined when the alarm or its transition is gone. */
  transition: { alarm: StoredAlarm; detail: Omit<AlarmDetail, 'sponsor'> } | undefined
}

export type NewReminder = {
  alarm: number
  channel: string
  at: number
  /** One that is set already stays. */
  isFirst: boolean
}

export type FanOut = {
  /** The entries that these deliveries are made of; they are deleted. */
  entries: readonly number[]
  deliveries: readonly NewDelivery[]
  reminders: readonly NewReminder[]
  /** Alarms whose reminders end. */
  endedAlarms: readonly number[]
}

export type DueReminder = {
  alarm: number
  channel: string
  at: number
  /** Undefined when it is gone. */
  stored: StoredAlarm | undefined
  /** Something about the alarm waits for the channel. */
  isWaiting: boolean
}

/** Transitions that are still to become deliveries, and reminders. */
export interface OutboxStore {
  /** Adds entries, as the alarms' own changes do in their transactions. */
  add(entries: readonly NewOutboxEntry[]): Promise<void>

  /** The oldest entries. */
  list(limit: number): Promise<OutboxEntry[]>

  /** Replaces entries by deliveries and reminders: all of it, or nothing when one is gone. */
  fanOut(plan: FanOut): Promise<void>

  /** Reminders that are due, the oldest first. */
  listDueReminders(now: number, limit: number): Promise<DueReminder[]>

  /** Sets a reminder's next time, or ends it, and adds its delivery: all or nothing. */
  remind(
    reminder: Pick<DueReminder, 'alarm' | 'channel' | 'at'>,
    next: number | null,
    delivery?: NewDelivery,
  ): Promise<void>
}
