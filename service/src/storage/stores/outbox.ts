import type { AlarmDetail } from '@plumbline/contract'
import type { StoredAlarm } from './alarms.ts'
import type { NewDelivery } from './deliveries.ts'
import type { NewSnapshot } from './snapshots.ts'

/** A transition of an alarm that has no deliveries yet. */
export type OutboxEntry = {
  id: number
  alarm: number
  /** The index of the transition in the details of the alarm. */
  step: number
  isLate: boolean
  createdAt: number
  /** Undefined where the alarm or the transition was deleted. */
  transition: { alarm: StoredAlarm; detail: Omit<AlarmDetail, 'sponsor'> } | undefined
}

export type NewReminder = {
  alarm: number
  channel: string
  at: number
  /** Whether it is the first of the alarm; it does not replace a reminder that exists. */
  isFirst: boolean
}

export type FanOut = {
  /** The entries that become these deliveries; they are deleted. */
  entries: readonly number[]
  /** The transitions among them, in their order, which are followed by events. */
  events?: readonly Pick<OutboxEntry, 'alarm' | 'step' | 'createdAt'>[]
  deliveries: readonly NewDelivery[]
  reminders: readonly NewReminder[]
  snapshots: readonly NewSnapshot[]
  /** Shelvings that end with a transition. */
  endedShelvings?: readonly { alarm: number; at: number; by: 'escalation' | 'close' }[]
  /** Alarms whose reminders end. */
  endedAlarms: readonly number[]
}

export type DueReminder = {
  alarm: number
  channel: string
  at: number
  /** The alarm; undefined where it was deleted. */
  stored: StoredAlarm | undefined
  /** Whether a delivery of the alarm waits for the channel. */
  isWaiting: boolean
}

/** Transitions that have no deliveries yet, which changes of alarms add, and reminders. */
export interface OutboxStore {
  /** The oldest entries, at most `limit`. */
  list(limit: number): Promise<OutboxEntry[]>

  /** When a restore put these data here; undefined where none did. */
  findRestoredAt(): Promise<number | undefined>

  /** Replaces entries by deliveries, reminders and snapshots; fails as a whole where an entry was deleted. */
  fanOut(plan: FanOut): Promise<void>

  /** The due reminders, oldest first. */
  listDueReminders(now: number, limit: number): Promise<DueReminder[]>

  /**
   * The open alarms with a higher id than `after`, by id, without those of which all that was to be
   * notified was late.
   */
  listRemindable(after: number, limit: number): Promise<StoredAlarm[]>

  /** Adds reminders; those that exist stay as they are. */
  addReminders(reminders: readonly Omit<NewReminder, 'isFirst'>[]): Promise<void>

  /** Sets the next instant of a reminder or, with `null`, ends it, and adds its delivery: all or none. */
  remind(
    reminder: Pick<DueReminder, 'alarm' | 'channel' | 'at'>,
    next: number | null,
    delivery?: NewDelivery,
  ): Promise<void>
}
