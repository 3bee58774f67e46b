import type { Storage } from '../storage/storage.ts'
import { describeFailure } from '../errors/describe-failure.ts'
import type { WakeUp } from '../background/wake-up.ts'
import { startJob, type Job } from '../background/job.ts'
import { Leadership } from '../background/leadership.ts'
import { fanOut } from './fan-out.ts'
import { OutboxClock } from './outbox-clock.ts'
import type { Signals } from './sender.ts'
import { Senders, type SendersOptions } from './senders.ts'

const TERM_MILLISECONDS = 10_000
const POLL_MILLISECONDS = 1000
const LAST_SENDING_MILLISECONDS = 5000
const EXPIRY_MILLISECONDS = 3_600_000
const EXPIRED_AT_ONCE = 1000

export type NotificationOptions = Omit<SendersOptions, 'outbox'> & {
  storage: Pick<Storage, 'alarms' | 'outbox' | 'deliveries' | 'maintenance' | 'leases'>
  /** How long settled deliveries stay in the log, in milliseconds. */
  keepLog: number
  /** Running time in milliseconds, by a clock that nobody sets. */
  monotonic?: (() => number) | undefined
  /** How often the outbox is checked when no wake-up comes. */
  pollMilliseconds?: number | undefined
  /** How often settled deliveries that have expired are deleted. */
  expiryMilliseconds?: number | undefined
}

/**
 * Sends the deliveries of the outbox, one instance at a time.
 *
 * The lease is held only while there is something to do. When its holder dies, another instance
 * takes over within seconds, and may send again what was delivered and not yet recorded.
 */
export function startDeliveryJob(options: NotificationOptions): Omit<Job, 'firstRun'> {
  const { storage, log, now, pollMilliseconds = POLL_MILLISECONDS } = options
  const { keepLog, trustedNow, expiryMilliseconds = EXPIRY_MILLISECONDS } = options
  const cut = new AbortController()
  const outbox = new OutboxClock(options)
  const senders = new Senders({ ...options, outbox })
  const leadership = new Leadership({
    name: 'notifications',
    leases: storage.leases,
    now,
    termMilliseconds: TERM_MILLISECONDS,
  })
  const delivery = startJob({
    name: 'Notification delivery',
    log,
    everyMilliseconds: pollMilliseconds,
    firstMilliseconds: 0,
    async run(stop, wakeUp) {
      await outbox.look()
      if (!(await hasWork(options))) return
      await leadership.run((lost) =>
        workOff({
          options,
          outbox,
          senders,
          wakeUp,
          stop: AbortSignal.any([stop, lost]),
          cut: AbortSignal.any([cut.signal, lost]),
        }),
      )
    },
  })
  const expiry = startJob({
    name: 'Expiry of deliveries',
    log,
    everyMilliseconds: expiryMilliseconds,
    run: () => expireDeliveries(storage, trustedNow() - keepLog),
  })
  return {
    wake: () => delivery.wake(),
    async [Symbol.asyncDispose]() {
      const late = setTimeout(() => cut.abort(), LAST_SENDING_MILLISECONDS)
      await Promise.all([delivery[Symbol.asyncDispose](), expiry[Symbol.asyncDispose]()])
      clearTimeout(late)
    },
  }
}

async function hasWork({
  storage: { outbox, deliveries },
  now,
}: NotificationOptions): Promise<boolean> {
  if ((await outbox.list(1)).length > 0) return true
  if ((await deliveries.listDueChannels(now())).length > 0) return true
  return (await outbox.listDueReminders(now(), 1)).length > 0
}

type Work = {
  options: NotificationOptions
  outbox: OutboxClock
  senders: Senders
  wakeUp: WakeUp
} & Signals

/** Works until nothing is due any more. */
async function workOff({ options, outbox, senders, wakeUp, ...signals }: Work): Promise<void> {
  const { storage, now, log, pollMilliseconds = POLL_MILLISECONDS } = options
  const sending = new Map<string, Promise<void>>()
  const begin = (name: string): void => {
    const sent = senders
      .get(name)
      .sendDue(signals)
      .catch(async (error: unknown) => {
        log.warn(describeFailure(`Delivery to channel ${name}`, error, POLL_MILLISECONDS))
        await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS))
      })
      .finally(() => {
        sending.delete(name)
        wakeUp.signal()
      })
    sending.set(name, sent)
  }
  try {
    while (!signals.stop.aborted) {
      await outbox.look()
      await fanOut(options, signals.stop)
      for (const name of await storage.deliveries.listDueChannels(now()))
        if (!sending.has(name)) begin(name)
      if (sending.size === 0) break
      await wakeUp.wait(pollMilliseconds)
    }
  } finally {
    await Promise.all(sending.values())
  }
}

async function expireDeliveries(
  { deliveries }: NotificationOptions['storage'],
  before: number,
): Promise<void> {
  while (!(await deliveries.expire(before, EXPIRED_AT_ONCE)).isDone);
}
