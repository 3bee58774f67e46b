import type { UncheckedSettings } from '../../src/config/config.ts'
import { withService } from '../_service.ts'
import { SITE } from '../_site.ts'
import { WebhookReceiver } from './_webhook.ts'

export const RULE = { name: 'office', to: ['hook'] }

export const withNotifications = (
  receiver: WebhookReceiver,
  {
    rule = {},
    settings = {},
    now,
  }: { rule?: object; settings?: UncheckedSettings; now?: () => number } = {},
) =>
  withService({
    site: SITE,
    deliveryPollMilliseconds: 20,
    ...(now === undefined ? {} : { now }),
    settings: {
      'notifications.webhooks': [receiver.settings],
      'notifications.rules': [{ ...RULE, ...rule }],
      'notifications.retryFirstSeconds': 0.05,
      'notifications.retryMaxMinutes': 0.01,
      ...settings,
    },
  })

export const states = async (service: Awaited<ReturnType<typeof withNotifications>>) =>
  (await service.storage.deliveries.list({ limit: 100 })).map(({ state, attempts, reason }) => ({
    state,
    attempts,
    reason,
  }))
