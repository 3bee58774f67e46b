import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { afterFailure, LEAST_TRIES, type BackOff } from '../domain/notifications/back-off.ts'
import type { Notification } from '../domain/notifications/notification.ts'
import type { DueDelivery, DeliveryOutcome, Storage } from '../storage/storage.ts'
import { FailureLog } from '../background/failure-log.ts'
import { describeFailure } from '../errors/describe-failure.ts'
import { describeError, SendError, type Channel } from './channel.ts'

export type FloodGuard = Readonly<{
  /** The most alarms and reminders of a channel within the window; 0: no limit. */
  messages: number
  seconds: number
}>

export type ChannelSenderOptions = {
  storage: Pick<Storage, 'alarms' | 'deliveries'>
  channel: Channel
  backOff: BackOff
  flood: FloodGuard
  log: Logger
  now(): number
  /** The trusted time, by which the age of a delivery counts. */
  trustedNow(): number
  /** The last delivery that has waited long enough by the running time to be given up. */
  oldUpTo(): number
  /** From 0 to 1. */
  random(): number
  /** The pause before the result of a delivery is recorded again. */
  recordMilliseconds?: number
}

/** `stop`: begins no delivery. `abort`: also ends the one under way. */
export type Signals = { stop: AbortSignal; abort: AbortSignal }

const DELIVERIES_AT_ONCE = 20
const RECORD_MILLISECONDS = 1000

/**
 * Sends the due deliveries of one channel, one after the other.
 *
 * A failure that is not about the message postpones the whole channel; then one attempt at a time shows
 * whether the receiver is available again.
 */
export class ChannelSender {
  readonly #options: ChannelSenderOptions
  #failuresInRow = 0

  constructor(options: ChannelSenderOptions) {
    this.#options = options
  }

  async sendDue(signals: Signals): Promise<void> {
    const { storage, channel, now } = this.#options
    for (;;) {
      const due = await storage.deliveries.listDue(channel.name, now(), DELIVERIES_AT_ONCE)
      if (due.length === 0) return
      for (const delivery of due) {
        if (signals.stop.aborted || signals.abort.aborted) return
        if (!(await this.#deliver(delivery, signals))) return
      }
    }
  }

  /** Completes a delivery; returns whether the channel can continue. */
  async #deliver(delivery: DueDelivery, { abort }: Signals): Promise<boolean> {
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
    return this.#send(delivery, abort)
  }

  async #send(delivery: DueDelivery, abort: AbortSignal): Promise<boolean> {
    const { channel, log, now } = this.#options
    try {
      const note = await channel.send(this.#messageOf(delivery), abort)
      if (note !== undefined) log.warn(`channel ${channel.name}: delivered, but ${note}`)
      if (this.#failuresInRow > 0) log.info(`channel ${channel.name}: works again`)
      this.#failuresInRow = 0
      await this.#record(delivery, { kind: 'delivered', at: now(), note: note ?? null }, abort)
      return true
    } catch (error) {
      if (abort.aborted) return false
      return this.#fail(delivery, error, abort)
    }
  }

  async #fail(delivery: DueDelivery, error: unknown, abort: AbortSignal): Promise<boolean> {
    const { storage, channel, backOff, log, now, trustedNow, oldUpTo, random } = this.#options
    const failed =
      error instanceof SendError
        ? error
        : new SendError(`the channel failed: ${describeError(error)}`)
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
      await this.#record(delivery, { kind: 'givenUp', at: now(), error: sentence }, abort)
      return isAboutMessage || this.#giveUpOthers(sentence)
    }
    const again = new Date(next.at).toISOString()
    log.warn(`channel ${channel.name}: ${sentence}; delivery ${delivery.id} waits until ${again}`)
    await this.#record(delivery, { kind: 'retry', at: next.at, error: sentence }, abort)
    if (isAboutMessage) return true
    await this.#giveUpOthers(sentence)
    await storage.deliveries.postpone(channel.name, next.at)
    return false
  }

  /** Gives up the deliveries that have waited for their whole term: they would fail in the same way. */
  async #giveUpOthers(error: string): Promise<true> {
    const { storage, channel, backOff, log, now, trustedNow, oldUpTo } = this.#options
    if (this.#failuresInRow < LEAST_TRIES) return true
    const old = { dueBefore: trustedNow() - backOff.giveUpAfter, upTo: oldUpTo() }
    const count = await storage.deliveries.giveUp(channel.name, old, { at: now(), error })
    const deliveries = count === 1 ? '1 delivery is' : `${count} deliveries are`
    if (count > 0) log.error(`channel ${channel.name}: ${deliveries} given up: ${error}`)
    return true
  }

  /** Records a result until that succeeds: a delivered message must not be sent again. */
  async #record({ id }: DueDelivery, outcome: DeliveryOutcome, abort: AbortSignal): Promise<void> {
    const { storage, channel, log, recordMilliseconds = RECORD_MILLISECONDS } = this.#options
    const operation = `channel ${channel.name}: recording the result of delivery ${id}`
    const failures = new FailureLog({
      warn: (sentence) => log.error(sentence),
      inform: (sentence) => log.info(sentence),
    })
    for (;;) {
      try {
        await storage.deliveries.complete(id, outcome)
        return failures.succeed(`${operation} succeeded again.`)
      } catch (error) {
        failures.fail(describeFailure(operation, error, recordMilliseconds))
        if (abort.aborted) throw error
        await setTimeout(recordMilliseconds, undefined, { signal: abort }).catch(() => undefined)
      }
    }
  }

  #messageOf({ id, kind, message, summarized }: DueDelivery): Notification {
    if (kind !== 'summary') return parseMessage(message)
    const { channel, flood } = this.#options
    const { seconds } = flood
    return { id: `summary-${id}`, kind, channel: channel.name, heldBack: summarized, seconds }
  }
}

/** The message of a delivery, as `fanOut` has stored it. */
const parseMessage = (text: string): Notification => JSON.parse(text)
