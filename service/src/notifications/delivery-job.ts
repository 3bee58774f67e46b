import type { Storage } from '../storage/storage.ts'
import { describeFailure } from '../errors/describe-failure.ts'
import type { WakeUp } from '../background/wake-up.ts'
import { startJob, type Job } from '../background/job.ts'
import { Leadership } from '../background/leadership.ts'
import { fanOut } from './fan-out.ts'
import { OpenAlarms } from './open-alarms.ts'
import { OutboxClock } from './outbox-clock.ts'
import type { Signals } from './channel-sender.ts'
import { ChannelSenders, type ChannelSendersOptions } from './channel-senders.ts'

const TERM_MILLISECONDS = 10_000
const POLL_MILLISECONDS = 1000
const LAST_SENDING_MILLISECONDS = 5000
const EXPIRY_MILLISECONDS = 3_600_000
const EXPIRED_AT_ONCE = 1000
/** A console that was away for longer reads its state again. */
const KEPT_EVENTS_MILLISECONDS = 86_400_000

export type DeliveryJobOptions = Omit<ChannelSendersOptions, 'outbox'> & {
  storage: Pick<
    Storage,
    'alarms' | 'outbox' | 'deliveries' | 'maintenance' | 'leases' | 'events' | 'shelvings'
  >
  /** How long completed deliveries are kept, in milliseconds. */
  keepLog: number
  /** A monotonic clock in milliseconds. */
  monotonic?: (() => number) | undefined
  /** How often the outbox is checked when no wake-up comes. */
  pollMilliseconds?: number | undefined
  /** How often expired deliveries are deleted. */
  expiryMilliseconds?: number | undefined
}

/**
 * Sends the deliveries of the outbox, in one instance at a time.
 *
 * An instance holds the lease only while there is work. When it dies, another one takes over within
 * seconds, and may send a message again that was delivered and not recorded.
 */
export function startDeliveryJob(options: DeliveryJobOptions): Omit<Job, 'firstRun'> {
  const { storage, log, now, pollMilliseconds = POLL_MILLISECONDS } = options
  const { keepLog, trustedNow, expiryMilliseconds = EXPIRY_MILLISECONDS } = options
  const abort = new AbortController()
  const outbox = new OutboxClock(options)
  const openAlarms = new OpenAlarms(options)
  const senders = new ChannelSenders({ ...options, outbox })
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
      await outbox.check()
      if (!openAlarms.isDue && !(await hasWork(options))) return
      await leadership.run((lost) =>
        deliverAll({
          options,
          outbox,
          openAlarms,
          senders,
          wakeUp,
          stop: AbortSignal.any([stop, lost]),
          abort: AbortSignal.any([abort.signal, lost]),
        }),
      )
    },
  })
  const expiry = startJob({
    name: 'Expiry of deliveries',
    log,
    everyMilliseconds: expiryMilliseconds,
    async run() {
      await expireDeliveries(storage, trustedNow() - keepLog)
      await storage.events.expire(trustedNow() - KEPT_EVENTS_MILLISECONDS)
    },
  })
  return {
    wake: () => delivery.wake(),
    async [Symbol.asyncDispose]() {
      const late = setTimeout(() => abort.abort(), LAST_SENDING_MILLISECONDS)
      await Promise.all([delivery[Symbol.asyncDispose](), expiry[Symbol.asyncDispose]()])
      clearTimeout(late)
    },
  }
}

async function hasWork({
  storage: { outbox, deliveries },
  now,
}: DeliveryJobOptions): Promise<boolean> {
  if ((await outbox.list(1)).length > 0) return true
  if ((await deliveries.listDueChannels(now())).length > 0) return true
  return (await outbox.listDueReminders(now(), 1)).length > 0
}

type DeliveryWork = {
  options: DeliveryJobOptions
  outbox: OutboxClock
  openAlarms: OpenAlarms
  senders: ChannelSenders
  wakeUp: WakeUp
} & Signals

/** Works until nothing is due. */
async function deliverAll({
  options,
  outbox,
  openAlarms,
  senders,
  wakeUp,
  ...signals
}: DeliveryWork): Promise<void> {
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
      await outbox.check()
      await fanOut(options, signals.stop)
      await openAlarms.remindOnce(signals.stop)
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
  { deliveries }: DeliveryJobOptions['storage'],
  before: number,
): Promise<void> {
  while (!(await deliveries.expire(before, EXPIRED_AT_ONCE)).isDone);
}
