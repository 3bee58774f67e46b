import type { AlarmDetail } from '@plumbline/contract'
import type { StoredAlarm } from './alarms.ts'

/** A step of an alarm that is written down and that nobody was told of yet. */
export type NewOutboxEntry = {
  alarm: number
  /** The place of the step among the alarm's details. */
  step: number
  isLate: boolean
  createdAt: number
}

export type OutboxEntry = NewOutboxEntry & {
  id: number
  /** Undefined when the alarm or the step is gone. */
  transition: { alarm: StoredAlarm; detail: Omit<AlarmDetail, 'sponsor'> } | undefined
}

export type DeliveryKind = 'alarm' | 'reminder' | 'summary'

export type DeliveryState = 'waiting' | 'delivered' | 'suppressed' | 'givenUp'

export type NewDelivery = {
  kind: 'alarm' | 'reminder'
  /** The notice it is about; a reminder has none. */
  outboxEntry: number | null
  alarm: number
  step: number | null
  structure: number
  channel: string
  rules: readonly string[]
  /** What is sent, as JSON, the same with every try. */
  message: string
  /** Why it is not sent; `null` when it is. */
  reason: string | null
  createdAt: number
}

export type NewReminder = {
  alarm: number
  channel: string
  at: number
  /** One that is set already stays. */
  isFirst: boolean
}

export type FanOut = {
  /** The notices that this is about; they are gone afterwards. */
  entries: readonly number[]
  deliveries: readonly NewDelivery[]
  reminders: readonly NewReminder[]
  /** Alarms that are reminded of no more. */
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

export type DueDelivery = {
  id: number
  kind: DeliveryKind
  alarm: number | null
  channel: string
  message: string
  attempts: number
  dueAt: number
  /** How many messages a summary stands for. */
  summarized: number
}

/** What became of a delivery; every one is counted as a try, but for the last two. */
export type DeliveryOutcome =
  | { kind: 'delivered'; at: number; note: string | null }
  | { kind: 'retry'; at: number; error: string }
  | { kind: 'givenUp'; at: number; error: string }
  | { kind: 'suppressed'; reason: string }
  /** Counted in the summary that waits for the channel; where there is none, one is due at `at`. */
  | { kind: 'held'; reason: string; now: number; at: number }

export type Delivery = {
  id: number
  kind: DeliveryKind
  alarm: number | null
  step: number | null
  structure: number | null
  channel: string
  rules: string[]
  state: DeliveryState
  attempts: number
  createdAt: number
  /** When it is tried next, or was tried last. */
  nextAt: number
  lastError: string | null
  reason: string | null
  deliveredAt: number | null
}

export type DeliveryQuery = {
  channel?: string | undefined
  state?: DeliveryState | undefined
  alarm?: number | undefined
  /** The last id of the page above. */
  before?: number | undefined
  limit: number
}

export type ChannelCount = {
  channel: string
  waiting: number
  /** Since when the oldest of them waits. */
  waitingSince: number | null
  /** Since an instant that was asked for. */
  givenUp: number
}

/** How far ahead of the clock anything may lie, in milliseconds. */
export type LongestWaits = {
  retry: number
  /** One that still takes up messages. */
  summary: number
  reminder: number
}

/** Who is told of alarms: the outbox, and what becomes of every message. */
export interface NotificationStore {
  /** Puts notices into the outbox, as the alarms' own changes do in their transactions. */
  add(notices: readonly NewOutboxEntry[]): Promise<void>

  /** The oldest notices. */
  listEntries(limit: number): Promise<OutboxEntry[]>

  /** Puts deliveries and reminders in the place of notices: all of it, or nothing when one is gone. */
  fanOut(plan: FanOut): Promise<void>

  /** Reminders whose time has come, the oldest first. */
  listDueReminders(now: number, limit: number): Promise<DueReminder[]>

  /** Sets a reminder's next time, or ends it, and takes up what is told now: all or nothing. */
  remind(
    reminder: Pick<DueReminder, 'alarm' | 'channel' | 'at'>,
    next: number | null,
    delivery?: NewDelivery,
  ): Promise<void>

  /** Deliveries of a channel that are due, those with the fewest tries first. */
  listDue(channel: string, now: number, limit: number): Promise<DueDelivery[]>

  /** Whether there is an alarm of this id that has not ended. */
  isOpen(alarm: number): Promise<boolean>

  /** Channels that have something due. */
  listDueChannels(now: number): Promise<string[]>

  /** How many alarms and reminders were delivered to a channel after an instant, up to another. */
  countDelivered(channel: string, since: number, until: number): Promise<number>

  /** Writes down what became of a waiting delivery; of another it changes nothing. */
  complete(id: number, settlement: DeliveryOutcome): Promise<void>

  /**
   * Gives up what waits for a channel, was first due before an instant and is no newer than a
   * delivery; returns how much.
   */
  giveUp(
    channel: string,
    old: { dueBefore: number; upTo: number },
    settled: { at: number; error: string },
  ): Promise<number>

  /** Puts off everything of a channel that would be due before an instant. */
  postpone(channel: string, until: number): Promise<void>

  /** Makes due what lies further ahead than it can by a clock that was not set back. */
  bringForward(now: number, longest: LongestWaits): Promise<void>

  /** Newest first. */
  list(query: DeliveryQuery): Promise<Delivery[]>

  /** Every channel for which something waits, or was given up since an instant. */
  count(givenUpSince: number): Promise<ChannelCount[]>

  /** Forgets about so many deliveries that were settled and made before an instant. */
  expire(before: number, limit: number): Promise<{ isDone: boolean }>
}
