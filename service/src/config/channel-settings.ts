import { Type } from 'typebox'
import {
  brokerUrl,
  closed,
  credentials,
  file,
  name,
  optional,
  protocolVersion,
  secret,
  text,
} from './setting-schemas.ts'
import { oneOf } from '@plumbline/contract'

const channelName = name('Name of the channel in rules and in the log')

const ca = file('PEM file of the authority that issued the certificate of the server.')

const timeoutSeconds = optional(
  Type.Number({
    minimum: 1,
    maximum: 300,
    unit: 'seconds',
    description: 'Seconds within which a response must arrive. Default: 10.',
  }),
)

/** A webhook channel. */
export const WebhookSettings = Type.Object(
  {
    name: channelName,
    url: Type.String({
      pattern: '^https://[^@/]+(/.*)?$',
      title: 'an https address without a user name and a password',
      description:
        'HTTPS address to which messages are posted, without a user name and a password.',
    }),
    secret: secret('Secret with which messages are signed; secretFile keeps it out of this file.'),
    secretFile: file('File that holds the secret.'),
    ca,
    timeoutSeconds,
  },
  closed,
)

/** A mail channel. */
export const MailSettings = Type.Object(
  {
    name: channelName,
    host: Type.String({ minLength: 1, description: 'SMTP server.' }),
    port: optional(
      Type.Integer({
        minimum: 1,
        maximum: 65_535,
        description: 'Port. Default: 465 with tls, 587 with starttls, 25 with off.',
      }),
    ),
    tls: optional(
      oneOf(['tls', 'starttls', 'off'], {
        description:
          'starttls, tls from the first byte, or off on a loopback address. Default: starttls.',
      }),
    ),
    user: text('User name at the server. Default: no log-in.'),
    password: secret('Password; passwordFile keeps it out of this file.'),
    passwordFile: file('File that holds the password.'),
    ca,
    from: Type.String({
      minLength: 3,
      description: 'Sender, such as Plumbline <shm@example.org>.',
    }),
    to: Type.Array(Type.String({ minLength: 3 }), { minItems: 1, description: 'Recipients.' }),
    timeoutSeconds,
  },
  closed,
)

/** An MQTT channel. */
export const PublishSettings = Type.Object(
  {
    name: channelName,
    url: brokerUrl,
    topic: Type.String({
      pattern: '^[^+#]+$',
      title: 'a topic without + and #',
      description:
        'Topic. {structure}, {source}, {type}, {level}, {event} and {alarm} are replaced.',
    }),
    version: protocolVersion,
    clientId: text('Client id. Default: a new one for every connection.'),
    ...credentials,
    timeoutSeconds,
  },
  closed,
)
