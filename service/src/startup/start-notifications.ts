import type { Logger } from 'pino'
import { openChannels } from './notification-channels.ts'
import type { Config } from '../config/settings.ts'
import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import { readChannelStates } from '../notifications/channel-states.ts'
import { startDeliveryJob } from '../notifications/delivery-job.ts'

const DAY = 86_400_000

export type OutboxRhythm = {
  /** How often the outbox is looked into. */
  deliveryPollMilliseconds?: number | undefined
}

type Options = OutboxRhythm & {
  config: Config
  storage: Storage
  log: Logger
  now?(): number
  /** Running time in milliseconds, by a clock that nobody sets. */
  monotonic?: (() => number) | undefined
}

/** Opens the channels that the settings ask for, and tells over them what is in the outbox. */
export async function openOutbox(
  { config, storage, log, now = Date.now, monotonic, deliveryPollMilliseconds }: Options,
  catalogue: CurrentCatalogue,
  trustedNow: () => number,
) {
  await using stack = new AsyncDisposableStack()
  const { byName: channels } = stack.use(await openChannels(config, now))
  const giveUpAfter = config['notifications.giveUpAfterDays'] * DAY
  const job = stack.use(
    startDeliveryJob({
      storage,
      catalogue,
      rules: config['notifications.rules'],
      channels,
      backOff: {
        first: config['notifications.retryFirstSeconds'] * 1000,
        longest: config['notifications.retryMaxMinutes'] * 60_000,
        giveUpAfter,
      },
      flood: {
        messages: config['notifications.floodMessages'],
        seconds: config['notifications.floodMinutes'] * 60,
      },
      keepLog: config['notifications.keepLogDays'] * DAY,
      trustedNow,
      monotonic,
      pollMilliseconds: deliveryPollMilliseconds,
      log,
      now,
      random: Math.random,
    }),
  )
  const kept = stack.move()
  return {
    channels,
    wake: job.wake,
    states: () => readChannelStates(storage.deliveries, channels.keys(), now() - giveUpAfter),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
