export type DeliveryKind = 'alarm' | 'reminder' | 'summary'

export type DeliveryState = 'waiting' | 'delivered' | 'suppressed' | 'givenUp'

export type NewDelivery = {
  kind: 'alarm' | 'reminder'
  /** The outbox entry that it is made of; a reminder has none. */
  outboxEntry: number | null
  alarm: number
  step: number | null
  structure: number
  channel: string
  rules: readonly string[]
  /** What is sent with every attempt, as JSON. */
  message: string
  /** Why it is not sent; `null` when it is. */
  reason: string | null
  createdAt: number
}

export type DueDelivery = {
  id: number
  kind: DeliveryKind
  alarm: number | null
  channel: string
  message: string
  attempts: number
  dueAt: number
  /** How many notifications a summary stands for. */
  summarized: number
}

/** What became of a delivery; all but the last two count as an attempt. */
export type DeliveryOutcome =
  | { kind: 'delivered'; at: number; note: string | null }
  | { kind: 'retry'; at: number; error: string }
  | { kind: 'givenUp'; at: number; error: string }
  | { kind: 'suppressed'; reason: string }
  /** Counted in the summary that waits for the channel; without one, a summary is due at `at`. */
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

/** Notifications to one channel each, and what became of them. */
export interface DeliveryStore {
  /** Deliveries of a channel that are due, those with the fewest attempts first. */
  listDue(channel: string, now: number, limit: number): Promise<DueDelivery[]>

  /** Channels that have something due. */
  listDueChannels(now: number): Promise<string[]>

  /** How many alarms and reminders were delivered to a channel after an instant, up to another. */
  countDelivered(channel: string, since: number, until: number): Promise<number>

  /** Stores the outcome of a waiting delivery; of another one it changes nothing. */
  complete(id: number, outcome: DeliveryOutcome): Promise<void>

  /**
   * Gives up what waits for a channel, was first due before an instant and is no newer than a
   * delivery; returns how much.
   */
  giveUp(
    channel: string,
    old: { dueBefore: number; upTo: number },
    failure: { at: number; error: string },
  ): Promise<number>

  /** Postpones every delivery of a channel that would be due before an instant. */
  postpone(channel: string, until: number): Promise<void>

  /** Makes deliveries and reminders due that are further ahead than a clock that was not set back allows. */
  bringForward(now: number, longest: LongestWaits): Promise<void>

  /** Newest first. */
  list(query: DeliveryQuery): Promise<Delivery[]>

  /** Every channel with deliveries that wait, or were given up since an instant. */
  count(givenUpSince: number): Promise<ChannelCount[]>

  /** Deletes at most `limit` deliveries that are no longer waiting and were created before an instant. */
  expire(before: number, limit: number): Promise<{ isDone: boolean }>
}
