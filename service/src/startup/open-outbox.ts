import type { Logger } from 'pino'
import { openChannels } from './notification-channels.ts'
import type { Config } from '../config/settings.ts'
import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import { readChannelStates } from '../notifications/channel-states.ts'
import { startDeliveryJob } from '../notifications/delivery-job.ts'
import { traced } from '../tracing/traced.ts'
import type { Tracing } from '../tracing/tracing.ts'

const DAY = 86_400_000

export type OutboxRhythm = {
  /** How often the outbox is read. Default: that of the delivery job. */
  deliveryPollMilliseconds?: number | undefined
}

type OutboxOptions = OutboxRhythm & {
  config: Config
  storage: Storage
  tracing: Tracing | undefined
  log: Logger
  now?(): number
  /** Uptime in milliseconds, by a monotonic clock. */
  monotonic?: (() => number) | undefined
}

/** Opens the notification channels of the settings and starts the deliveries of the outbox. */
export async function openOutbox(
  options: OutboxOptions,
  catalogue: CurrentCatalogue,
  trustedNow: () => number,
) {
  await using stack = new AsyncDisposableStack()
  const { config, storage, tracing, log, now = Date.now } = options
  const { monotonic, deliveryPollMilliseconds } = options
  const { byName } = stack.use(await openChannels(config, now))
  const channels = new Map(
    byName.entries().map(([name, channel]) => {
      const names = { send: 'notification delivery' }
      return [name, traced(tracing, channel, names, { channel: name })]
    }),
  )
  const giveUpAfter = config['notifications.giveUpAfterDays'] * DAY
  stack.use(
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
  const opened = stack.move()
  return {
    channels,
    states: () => readChannelStates(storage.deliveries, channels.keys(), now() - giveUpAfter),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
