import { Type } from 'typebox'
import { MailSettings, PublishSettings, WebhookSettings } from './channel-settings.ts'
import { RuleSettings } from './notification-rule-settings.ts'
import { setting } from './setting.ts'
import { positive, wholeNumber } from './setting-schemas.ts'
import { oneOf } from '@plumbline/contract'

/** Settings of notification rules, channels and deliveries. */
export const NOTIFICATION_SETTINGS = {
  'notifications.rules': setting({
    schema: Type.Array(RuleSettings),
    default: [],
    description:
      'Which alarms are sent to which channels. Each channel gets an event of an alarm once, however many rules name it.',
    example: `- name: office
  to: [office-mail, duty-system]
  structures: [101, 102]
  levels: [1, 2]
  types: [1]
  events: [new, escalated, cleared]
  quietHours:
    - { from: '22:00', to: '06:00', exceptLevels: [1] }
    - { from: '00:00', to: '00:00', days: [sun], exceptLevels: [1] }
  reminderEvery: 3600`,
  }),
  'notifications.webhooks': setting({
    schema: Type.Array(WebhookSettings),
    default: [],
    description: 'Channels that post signed messages as JSON over HTTPS.',
    example: `- { name: duty-system, url: 'https://duty.example/plumbline', secretFile: /etc/plumbline/duty-secret }`,
  }),
  'notifications.mail': setting({
    schema: Type.Array(MailSettings),
    default: [],
    description: 'Channels that send mails by SMTP.',
    example: `- name: office-mail
  host: mail.example
  user: plumbline
  passwordFile: /etc/plumbline/mail-password
  from: Plumbline <plumbline@mail.example>
  to: [office@mail.example, duty@mail.example]`,
  }),
  'notifications.mqtt': setting({
    schema: Type.Array(PublishSettings),
    default: [],
    description: 'Channels that publish messages as JSON to an MQTT broker, with QoS 1.',
    example: `- { name: scada, url: 'mqtts://broker.example:8883', topic: 'alarms/{structure}/{event}' }`,
  }),
  'notifications.allowPrivateAddresses': setting({
    schema: oneOf(['allow', 'refuse']),
    default: 'allow',
    description:
      'allow: webhooks may use private and loopback addresses, which most receivers of a site have. refuse: they may not, also when their host name resolves to such an address; NAT64, 6to4 and multicast are refused too.',
  }),
  'notifications.floodMessages': setting({
    schema: wholeNumber(0, 100_000),
    default: 30,
    description:
      'Messages that are sent to a channel within notifications.floodMinutes. Beyond that messages are suppressed and counted in one summary. 0: no limit.',
  }),
  'notifications.floodMinutes': setting({
    schema: positive(1440, 'minutes'),
    default: 10,
    description: 'Minutes in which notifications.floodMessages are counted.',
  }),
  'notifications.retryFirstSeconds': setting({
    schema: positive(3600, 'seconds'),
    default: 5,
    description:
      'Seconds before a failed delivery is retried. Each further pause is twice as long, minus a random part of up to half of it.',
  }),
  'notifications.retryMaxMinutes': setting({
    schema: positive(1440, 'minutes'),
    default: 60,
    description: 'Longest pause between two attempts, in minutes.',
  }),
  'notifications.giveUpAfterDays': setting({
    schema: positive(365, 'days'),
    default: 3,
    description: 'Days after which a failing delivery is given up, and an error is logged.',
  }),
  'notifications.keepLogDays': setting({
    schema: positive(36_500, 'days'),
    default: 365,
    description: 'Days for which finished deliveries are kept.',
  }),
} as const
