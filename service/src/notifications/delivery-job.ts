import { randomUUID } from 'node:crypto'
import type { Storage } from '../storage/storage.ts'
import type { BackOff } from '../domain/notifications/back-off.ts'
import { SendError, type Channel } from './channel.ts'
import { fanOut, type FanOutOptions } from './fan-out.ts'
import { OutboxClock } from './outbox-clock.ts'
import { Sender, type FloodGuard, type Signals } from './sender.ts'

const LEASE = 'notifications'
const LEASE_MILLISECONDS = 10_000
const POLL_MILLISECONDS = 1000
const LAST_SENDING_MILLISECONDS = 5000
const HOUR = 3_600_000
const FORGET_AT_ONCE = 1000

export type NotificationOptions = FanOutOptions & {
  storage: Pick<Storage, 'notifications' | 'maintenance' | 'leases'>
  channels: ReadonlyMap<string, Channel>
  backOff: BackOff
  flood: FloodGuard
  /** How long settled deliveries stay in the log, in milliseconds. */
  keepLog: number
  /** The instant that this and the age of what waits are counted from. */
  trustedNow(): number
  /** Running time in milliseconds, by a clock that nobody sets. */
  monotonic?: (() => number) | undefined
  random(): number
  /** How often the outbox is looked into where nobody wakes us. */
  pollMilliseconds?: number | undefined
}

export type DeliveryJob = AsyncDisposable & {
  /** There is something in the outbox: it is taken up at once. */
  wake(): void
}

/**
 * Tells people of what is in the outbox, one instance at a time.
 *
 * The lease is held only while there is something to do. When who holds it dies, another takes
 * over within seconds, and may tell again what was confirmed and not yet written down.
 */
export function startDeliveryJob(options: NotificationOptions): DeliveryJob {
  const { pollMilliseconds = POLL_MILLISECONDS, log, now, storage, keepLog, trustedNow } = options
  const stop = new AbortController()
  const cut = new AbortController()
  const bell = new Bell(pollMilliseconds)
  const outbox = new OutboxClock(options)
  const senders = new Senders(options, outbox)
  let forgetAt = now() + HOUR

  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        const work = { options, outbox, senders, bell, stop: stop.signal, cut: cut.signal }
        await outbox.look()
        if (await hasWork(options)) await workOff(work)
        if (now() >= forgetAt || now() < forgetAt - HOUR) {
          forgetAt = now() + HOUR
          while (
            !(await storage.notifications.expire(trustedNow() - keepLog, FORGET_AT_ONCE)).isDone
          );
        }
      } catch (error) {
        log.warn(`what is in the outbox stays there for now: ${(error as Error).message}`)
      }
      if (!stop.signal.aborted) await bell.wait()
    }
  }
  const running = run()
  return {
    wake: () => bell.ring(),
    async [Symbol.asyncDispose]() {
      stop.abort()
      bell.ring()
      const late = setTimeout(() => cut.abort(), LAST_SENDING_MILLISECONDS)
      await running
      clearTimeout(late)
    },
  }
}

/** Waits for somebody to ring, and rings by itself after a while. */
class Bell {
  readonly #milliseconds: number
  #rung = Promise.withResolvers<void>()

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds
  }

  ring(): void {
    this.#rung.resolve()
  }

  /** Returns at once when it rang since the last time. */
  async wait(): Promise<void> {
    const timer = setTimeout(() => this.ring(), this.#milliseconds)
    await this.#rung.promise
    clearTimeout(timer)
    this.#rung = Promise.withResolvers()
  }
}

/** One for each channel, and for every name that the settings know no more. */
class Senders {
  readonly #options: NotificationOptions
  readonly #outbox: OutboxClock
  readonly #senders = new Map<string, Sender>()

  constructor(options: NotificationOptions, outbox: OutboxClock) {
    this.#options = options
    this.#outbox = outbox
  }

  get(name: string): Sender {
    const known = this.#senders.get(name)
    if (known !== undefined) return known
    const { storage, channels, ...options } = this.#options
    const channel = channels.get(name) ?? missingChannel(name)
    const oldUpTo = (): number => this.#outbox.oldUpTo()
    const sender = new Sender({
      ...options,
      notifications: storage.notifications,
      channel,
      oldUpTo,
    })
    this.#senders.set(name, sender)
    return sender
  }
}

const missingChannel = (name: string): Channel => ({
  name,
  async send() {
    throw new SendError('the settings have no channel of this name')
  },
})

async function hasWork({ storage: { notifications }, now }: NotificationOptions): Promise<boolean> {
  if ((await notifications.listEntries(1)).length > 0) return true
  if ((await notifications.listDueChannels(now())).length > 0) return true
  return (await notifications.listDueReminders(now(), 1)).length > 0
}

type Work = {
  options: NotificationOptions
  outbox: OutboxClock
  senders: Senders
  bell: Bell
} & Signals

/** Works until nothing is due any more; nothing while another instance is at it. */
async function workOff({ options, outbox, senders, bell, stop, cut }: Work): Promise<void> {
  const { storage, now, log } = options
  const holder = randomUUID()
  const takeLease = () =>
    storage.leases.take({ name: LEASE, holder, now: now(), until: now() + LEASE_MILLISECONDS })
  if (!(await takeLease())) return

  const lost = new AbortController()
  const keeping = setInterval(() => {
    takeLease().then(
      (isMine) => isMine || lost.abort(),
      () => lost.abort(),
    )
  }, LEASE_MILLISECONDS / 4)
  const signals: Signals = {
    stop: AbortSignal.any([stop, lost.signal]),
    cut: AbortSignal.any([cut, lost.signal]),
  }
  const sending = new Map<string, Promise<void>>()
  const begin = (name: string): void => {
    const sent = senders
      .get(name)
      .sendDue(signals)
      .catch(async (error: Error) => {
        log.warn(`channel ${name} stays as it is for now: ${error.message}`)
        await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS))
      })
      .finally(() => {
        sending.delete(name)
        bell.ring()
      })
    sending.set(name, sent)
  }
  try {
    while (!signals.stop.aborted) {
      await outbox.look()
      await fanOut(options, signals.stop)
      for (const name of await storage.notifications.listDueChannels(now()))
        if (!sending.has(name)) begin(name)
      if (sending.size === 0) break
      await bell.wait()
    }
  } finally {
    await Promise.all(sending.values())
    clearInterval(keeping)
    await storage.leases.leave(LEASE, holder)
  }
}
