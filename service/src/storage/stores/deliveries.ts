import type { DeliveryState } from '@plumbline/contract'

export type DeliveryKind = 'alarm' | 'reminder' | 'summary'

export type NewDelivery = {
  kind: 'alarm' | 'reminder'
  /** The outbox entry of the delivery; a reminder has none. */
  outboxEntry: number | null
  alarm: number
  step: number | null
  structure: number
  channel: string
  rules: readonly string[]
  /** The notification as JSON, the same in every attempt. */
  message: string
  /** Why it is suppressed; `null` where it is sent. */
  reason: string | null
  createdAt: number
}

export type DueDelivery = {
  id: number
  kind: DeliveryKind
  alarm: number | null
  message: string
  attempts: number
  dueAt: number
  /** The number of notifications that a summary replaces. */
  summarized: number
}

/** The outcome of a delivery; all but the last two count as an attempt. */
export type DeliveryOutcome =
  | { kind: 'delivered'; at: number; note: string | null }
  | { kind: 'retry'; at: number; error: string }
  | { kind: 'givenUp'; at: number; error: string }
  | { kind: 'suppressed'; reason: string }
  /** Suppressed and counted in the waiting summary of the channel, or in a new one that is due at `at`. */
  | { kind: 'held'; reason: string; now: number; at: number }

export type StoredDelivery = {
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
  /** The instant of the next attempt, or of the last one. */
  nextAt: number
  /** Of the last attempt; of a delivered message a note such as a refused recipient. */
  lastError: string | null
  reason: string | null
  deliveredAt: number | null
}

type DeliveryQuery = {
  channel?: string | undefined
  state?: DeliveryState | undefined
  alarm?: number | undefined
  /** The last id of the page before. */
  before?: number | undefined
  limit: number
}

export type ChannelCount = {
  channel: string
  waiting: number
  /** The instant since which the oldest of them waits. */
  waitingSince: number | null
  /** Those given up since the instant of the query. */
  givenUp: number
}

/** The longest waits that are possible unless the clock was set back, in milliseconds. */
export type LongestWaits = {
  retry: number
  /** The wait of a summary that has not been due yet. */
  summary: number
  reminder: number
}

/** Deliveries and their outcomes. */
export interface DeliveryStore {
  /** The due deliveries of a channel, those with the fewest attempts first. */
  listDue(channel: string, now: number, limit: number): Promise<DueDelivery[]>

  /** The channels with due deliveries. */
  listDueChannels(now: number): Promise<string[]>

  /** Counts the alarms and reminders that were delivered to a channel after `since`, up to `until`. */
  countDelivered(channel: string, since: number, until: number): Promise<number>

  /** Stores the outcome of a waiting delivery; changes no other delivery. */
  complete(id: number, outcome: DeliveryOutcome): Promise<void>

  /**
   * Gives up the waiting deliveries of a channel that were first due before `dueBefore` and whose id
   * is `upTo` at most; returns how many.
   */
  giveUp(
    channel: string,
    old: { dueBefore: number; upTo: number },
    failure: { at: number; error: string },
  ): Promise<number>

  /** Postpones every waiting delivery of a channel until an instant at least. */
  postpone(channel: string, until: number): Promise<void>

  /** Makes deliveries and reminders due that wait longer than is possible unless the clock was set back. */
  bringForward(now: number, longest: LongestWaits): Promise<void>

  /** Deliveries, newest first. */
  list(query: DeliveryQuery): Promise<StoredDelivery[]>

  /** The counts of every channel with deliveries that wait or were given up since an instant. */
  count(givenUpSince: number): Promise<ChannelCount[]>

  /** Deletes at most `limit` deliveries that are no longer waiting and were created before an instant. */
  expire(before: number, limit: number): Promise<{ isDone: boolean }>
}
