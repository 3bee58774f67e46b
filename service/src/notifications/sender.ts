import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { afterFailure, LEAST_TRIES, type BackOff } from '../domain/notifications/back-off.ts'
import type { Notification } from '../domain/notifications/notification.ts'
import type { DueDelivery, DeliveryOutcome, Storage } from '../storage/storage.ts'
import { codeOf, SendError, type Channel } from './channel.ts'

export type FloodGuard = Readonly<{
  /** At most so many alarms and reminders go to a channel within the window; 0: any number. */
  messages: number
  seconds: number
}>

export type SenderOptions = {
  storage: Pick<Storage, 'alarms' | 'deliveries'>
  channel: Channel
  backOff: BackOff
  flood: FloodGuard
  log: Logger
  now(): number
  /** The instant that the age of what waits is counted to. */
  trustedNow(): number
  /** The last delivery that has waited long enough by the running time to be given up. */
  oldUpTo(): number
  /** From 0 to 1. */
  random(): number
  /** How long to wait before what cannot be written down is tried again. */
  recordMilliseconds?: number
}

/** `stop`: begin nothing new. `cut`: let go of what is under way, too. */
export type Signals = { stop: AbortSignal; cut: AbortSignal }

const BATCH = 20
const RECORD_MILLISECONDS = 1000

/**
 * Sends what is due for one channel, one after the other.
 *
 * A failure that is not about the message puts the whole channel off: one try at a time finds out
 * whether the receiver is back.
 */
export class Sender {
  readonly #options: SenderOptions
  #failuresInRow = 0

  constructor(options: SenderOptions) {
    this.#options = options
  }

  async sendDue(signals: Signals): Promise<void> {
    const { storage, channel, now } = this.#options
    for (;;) {
      const due = await storage.deliveries.listDue(channel.name, now(), BATCH)
      if (due.length === 0) return
      for (const delivery of due) {
        if (signals.stop.aborted || signals.cut.aborted) return
        if (!(await this.#take(delivery, signals))) return
      }
    }
  }

  /** Whether the channel goes on. */
  async #take(delivery: DueDelivery, { cut }: Signals): Promise<boolean> {
    const { storage, flood, channel, now } = this.#options
    const { kind, alarm } = delivery
    if (kind === 'reminder' && !(await storage.alarms.isOpen(alarm ?? 0))) {
      await storage.deliveries.complete(delivery.id, {
        kind: 'suppressed',
        reason: 'the alarm has ended',
      })
      return true
    }
    const window = flood.seconds * 1000
    if (kind !== 'summary' && flood.messages > 0) {
      const delivered = await storage.deliveries.countDelivered(channel.name, now() - window, now())
      if (delivered >= flood.messages) {
        const reason = `flood guard: ${delivered} messages within ${flood.seconds} seconds`
        await storage.deliveries.complete(delivery.id, {
          kind: 'held',
          reason,
          now: now(),
          at: now() + window,
        })
        return true
      }
    }
    return this.#send(delivery, cut)
  }

  async #send(delivery: DueDelivery, cut: AbortSignal): Promise<boolean> {
    const { channel, log, now } = this.#options
    try {
      const note = await channel.send(this.#messageOf(delivery), cut)
      if (note !== undefined) log.warn(`channel ${channel.name}: delivered, but ${note}`)
      if (this.#failuresInRow > 0) log.info(`channel ${channel.name}: works again`)
      this.#failuresInRow = 0
      await this.#record(delivery, { kind: 'delivered', at: now(), note: note ?? null }, cut)
      return true
    } catch (error) {
      if (cut.aborted) return false
      return this.#fail(delivery, error, cut)
    }
  }

  async #fail(delivery: DueDelivery, error: unknown, cut: AbortSignal): Promise<boolean> {
    const { storage, channel, backOff, log, now, trustedNow, oldUpTo, random } = this.#options
    const failed =
      error instanceof SendError ? error : new SendError(`the channel failed: ${codeOf(error)}`)
    const { message: sentence, isAboutMessage, retryAfter } = failed
    if (!isAboutMessage) this.#failuresInRow++
    const failures = Math.max(delivery.attempts + 1, isAboutMessage ? 0 : this.#failuresInRow)
    const next = afterFailure(
      {
        failures,
        age: trustedNow() - delivery.dueAt,
        mayEnd: delivery.id <= oldUpTo(),
        now: now(),
        jitter: random(),
        retryAfter,
      },
      backOff,
    )
    if (next.kind === 'giveUp') {
      log.error(`channel ${channel.name}: delivery ${delivery.id} is given up: ${sentence}`)
      await this.#record(delivery, { kind: 'givenUp', at: now(), error: sentence }, cut)
      return isAboutMessage || this.#giveUpOthers(sentence)
    }
    const again = new Date(next.at).toISOString()
    log.warn(`channel ${channel.name}: ${sentence}; delivery ${delivery.id} waits until ${again}`)
    await this.#record(delivery, { kind: 'retry', at: next.at, error: sentence }, cut)
    if (isAboutMessage) return true
    await this.#giveUpOthers(sentence)
    await storage.deliveries.postpone(channel.name, next.at)
    return false
  }

  /** What a dead receiver has kept waiting for its whole term would fail in the same way. */
  async #giveUpOthers(error: string): Promise<true> {
    const { storage, channel, backOff, log, now, trustedNow, oldUpTo } = this.#options
    if (this.#failuresInRow < LEAST_TRIES) return true
    const old = { dueBefore: trustedNow() - backOff.giveUpAfter, upTo: oldUpTo() }
    const count = await storage.deliveries.giveUp(channel.name, old, { at: now(), error })
    if (count > 0) log.error(`channel ${channel.name}: ${count} more are given up: ${error}`)
    return true
  }

  /** What was delivered must be written down before anything else, or it would be told again. */
  async #record({ id }: DueDelivery, settlement: DeliveryOutcome, cut: AbortSignal): Promise<void> {
    const { storage, channel, log, recordMilliseconds = RECORD_MILLISECONDS } = this.#options
    for (;;) {
      try {
        return await storage.deliveries.complete(id, settlement)
      } catch (error) {
        const words = `channel ${channel.name}: what became of delivery ${id} cannot be written down`
        log.error(`${words}: ${(error as Error).message}`)
        if (cut.aborted) throw error
        await wait(recordMilliseconds, undefined, { signal: cut }).catch(() => undefined)
      }
    }
  }

  #messageOf({ id, kind, message, summarized }: DueDelivery): Notification {
    if (kind !== 'summary') return JSON.parse(message) as Notification
    const { channel, flood } = this.#options
    const { seconds } = flood
    return { id: `summary-${id}`, kind, channel: channel.name, heldBack: summarized, seconds }
  }
}
