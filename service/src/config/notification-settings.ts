import { listSetting } from './list-setting.ts'
import { setting } from './setting.ts'
import { Type, type Static, type TSchemaOptions } from 'typebox'
import { WEEKDAYS } from '../domain/notifications/quiet-hours.ts'
import { NOTIFICATION_EVENTS } from '../domain/notifications/notification-event.ts'

const closed = { additionalProperties: false }
const text = (description: string) => Type.Optional(Type.String({ description, minLength: 1 }))
const choice = <Value extends string | number>(values: readonly Value[], options: TSchemaOptions) =>
  Type.Optional(Type.Unsafe<Value>(Type.Enum([...values], options)))
const choices = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Optional(
    Type.Array(Type.Unsafe<Value>(Type.Enum([...values])), { minItems: 1, description }),
  )
const numbers = (description: string, minimum = 1, maximum = 2_147_483_647) =>
  Type.Optional(Type.Array(Type.Integer({ minimum, maximum }), { minItems: 1, description }))
const name = (description: string) =>
  Type.String({
    pattern: '^[A-Za-z0-9_-]{1,40}$',
    description: `${description}: letters, digits, - and _.`,
  })
const timeout = Type.Optional(
  Type.Number({
    minimum: 1,
    maximum: 300,
    description: 'How long an answer is waited for; left out: 10.',
  }),
)
const ca = text('PEM file of the authority that the other side’s certificate is checked against.')
const clock = (description: string) =>
  Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description })

export type RuleSettings = Static<typeof RuleSettings>
/** Who is told of what. */
export const RuleSettings = Type.Object(
  {
    name: name('Its name in messages and in the log'),
    to: Type.Array(Type.String(), { minItems: 1, description: 'Names of channels.' }),
    structures: numbers('Ids of structures; left out: all.'),
    levels: numbers('Levels; left out: all.', 1, 99),
    types: numbers('1 data, 2 DTU, 3 sensor, 4 gateway, 5 node; left out: all.', 1, 5),
    events: choices(
      NOTIFICATION_EVENTS,
      `Some of ${NOTIFICATION_EVENTS.join(', ')}; left out: all but repeated.`,
    ),
    quietHours: Type.Optional(
      Type.Array(
        Type.Object(
          {
            from: clock('When they begin, HH:mm of the structure’s clock.'),
            to: clock('When they end; not after from: on the next day.'),
            days: choices(WEEKDAYS, `Days on which they begin, some of ${WEEKDAYS.join(', ')}.`),
            exceptLevels: numbers('Alarms of these levels are told nevertheless.', 1, 99),
          },
          closed,
        ),
        { description: 'Hours in which nobody is told; it is written down that nobody was.' },
      ),
    ),
    reminderEvery: Type.Optional(
      Type.Integer({
        minimum: 10,
        maximum: 31_536_000,
        description: 'Seconds after which an alarm that is still open is told again.',
      }),
    ),
  },
  closed,
)

export type WebhookSettings = Static<typeof WebhookSettings>
export const WebhookSettings = Type.Object(
  {
    name: name('Its name in rules and in the log'),
    url: Type.String({
      pattern: '^https://[^@/]+(/.*)?$',
      description: 'HTTPS address that messages are posted to; no name or password in it.',
    }),
    secret: text('What messages are signed with; better kept in a file.'),
    secretFile: text('File that holds the secret.'),
    ca,
    timeoutSeconds: timeout,
  },
  closed,
)

export type MailSettings = Static<typeof MailSettings>
export const MailSettings = Type.Object(
  {
    name: name('Its name in rules and in the log'),
    host: Type.String({ minLength: 1, description: 'SMTP server.' }),
    port: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 65_535,
        description: 'Left out: 465 with tls, 587 with starttls, 25 in the clear.',
      }),
    ),
    tls: choice(['tls', 'starttls', 'off'], {
      description: 'starttls (default), tls from the first byte, or off on a loopback address.',
    }),
    user: text('Name at the server; left out: it asks for none.'),
    password: text('Password; better kept in a file.'),
    passwordFile: text('File that holds the password.'),
    ca,
    from: Type.String({
      minLength: 3,
      description: 'Sender, such as Plumbline <shm@example.org>.',
    }),
    to: Type.Array(Type.String({ minLength: 3 }), { minItems: 1, description: 'Recipients.' }),
    timeoutSeconds: timeout,
  },
  closed,
)

export type PublishSettings = Static<typeof PublishSettings>
export const PublishSettings = Type.Object(
  {
    name: name('Its name in rules and in the log'),
    url: Type.String({
      pattern: '^(mqtts?|wss?)://[^@/]+(/[^@]*)?$',
      description: 'mqtts://host:8883, or mqtt:// without TLS; no name or password in it.',
    }),
    topic: Type.String({
      pattern: '^[^+#]+$',
      description:
        'Topic; {structure}, {source}, {type}, {level}, {event} and {alarm} are filled in.',
    }),
    version: choice([4, 5], { description: '5 (default), or 4 for MQTT 3.1.1.' }),
    clientId: text('Left out: another one with every connection.'),
    username: text('Name at the broker.'),
    password: text('Password; better kept in a file.'),
    passwordFile: text('File that holds the password.'),
    ca,
    cert: text('PEM file of our own certificate, where the broker asks for one.'),
    key: text('PEM file of its private key.'),
    timeoutSeconds: timeout,
  },
  closed,
)

/** Whom the service tells of alarms, how, and how often it tries. */
export const NOTIFICATION_SETTINGS = {
  'notifications.rules': listSetting({
    schema: RuleSettings,
    description:
      'Who is told of which alarms. Every channel that a rule names is told of a step, once.',
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
  'notifications.webhooks': listSetting({
    schema: WebhookSettings,
    description: 'Channels that post messages as JSON over HTTPS, signed.',
    example: `- { name: duty-system, url: 'https://duty.example/plumbline', secretFile: /etc/plumbline/duty-secret }`,
  }),
  'notifications.mail': listSetting({
    schema: MailSettings,
    description: 'Channels that send mails by SMTP.',
    example: `- name: office-mail
  host: mail.example
  user: plumbline
  passwordFile: /etc/plumbline/mail-password
  from: Plumbline <plumbline@mail.example>
  to: [office@mail.example, duty@mail.example]`,
  }),
  'notifications.mqtt': listSetting({
    schema: PublishSettings,
    description: 'Channels that publish messages as JSON to an MQTT broker, with QoS 1.',
    example: `- { name: scada, url: 'mqtts://broker.example:8883', topic: 'alarms/{structure}/{event}' }`,
  }),
  'notifications.allowPrivateAddresses': setting({
    default: 'allow',
    description:
      'allow: webhooks may lead to private and loopback addresses, where most receivers of a site are; only the operator writes webhooks. refuse: they may not, whatever their name leads to, NAT64, 6to4 and multicast included.',
    expected: 'allow or refuse',
    accepts: (value) => value === 'allow' || value === 'refuse',
  }),
  'notifications.floodMessages': setting({
    default: 30,
    description:
      'At most so many messages go to a channel within the time below; what is more is held back and counted in one summary. 0: any number.',
    expected: 'a whole number from 0 to 100000',
    accepts: (value) => Number.isInteger(value) && value >= 0 && value <= 100_000,
  }),
  'notifications.floodMinutes': setting({
    default: 10,
    description: 'The time within which they are counted.',
    expected: 'a number of minutes above 0, at most 1440',
    accepts: (value) => value > 0 && value <= 1440,
  }),
  'notifications.retryFirstSeconds': setting({
    default: 5,
    description:
      'The pause before a message that failed is tried again; each further one is twice as long, less up to a half by chance.',
    expected: 'a number of seconds above 0, at most 3600',
    accepts: (value) => value > 0 && value <= 3600,
  }),
  'notifications.retryMaxMinutes': setting({
    default: 60,
    description: 'The longest pause.',
    expected: 'a number of minutes above 0, at most 1440',
    accepts: (value) => value > 0 && value <= 1440,
  }),
  'notifications.giveUpAfterDays': setting({
    default: 3,
    description: 'A message that still fails after so many days is given up, which is logged.',
    expected: 'a number of days above 0, at most 365',
    accepts: (value) => value > 0 && value <= 365,
  }),
  'notifications.keepLogDays': setting({
    default: 365,
    description: 'How long it is kept what became of messages.',
    expected: 'a number of days above 0, at most 36500',
    accepts: (value) => value > 0 && value <= 36_500,
  }),
} as const
