import { Type } from 'typebox'
import { setting } from './setting.ts'
import { wholeNumber } from './setting-schemas.ts'

/** Limits for wrong secrets and for lines of the security log. */
export const ACCESS_SETTINGS = {
  'tokens.failuresPerMinute': setting({
    schema: wholeNumber(1, 1_000_000),
    default: 10,
    description:
      'Wrong application secrets allowed per minute from one address, and ten times as many for one application from all addresses. Beyond that: 429. A correct secret is always accepted.',
  }),
  'accounts.failuresPerMinute': setting({
    schema: wholeNumber(1, 1_000_000),
    default: 10,
    description:
      'Wrong passwords and codes of accounts allowed per minute from one address, and ten times as many for one name from all addresses. Beyond that: 429, for a name only from addresses that have failed.',
  }),
  'accounts.idleHours': setting({
    schema: Type.Integer({ minimum: 1, maximum: 8760, unit: 'hours' }),
    default: 12,
    description: 'Hours after which an unused session of an account ends.',
  }),
  'accounts.sessionDays': setting({
    schema: Type.Integer({ minimum: 1, maximum: 365, unit: 'days' }),
    default: 30,
    description: 'Days after which a session of an account ends in any case.',
  }),
  'access.failuresPerMinute': setting({
    schema: wholeNumber(1, 1_000_000),
    default: 60,
    description:
      'Wrong access tokens, ingest keys and MQTT passwords allowed per minute from one address. Beyond that: 429. A correct one is always accepted.',
  }),
  'log.securityLinesPerMinute': setting({
    schema: wholeNumber(1, 100_000),
    default: 60,
    description:
      'Lines per minute that each kind of security event may write to the log. Beyond that the events are counted, and one line gives their number.',
  }),
} as const

/** Limits for connections to the interface. */
export const CONNECTION_LIMITS = {
  'http.maxConnections': setting({
    schema: wholeNumber(1, 1_000_000),
    default: 2000,
    description:
      'Connections to the interface. Beyond that new ones are closed. On Linux the sum of this setting, ingest.broker.maxConnections and 200 must not exceed the limit of open files of the process; otherwise both settings are lowered, and a warning is logged at the start.',
  }),
  'http.maxConnectionsPerAddress': setting({
    schema: wholeNumber(1, 1_000_000),
    default: 500,
    description:
      'Connections to the interface from one address, or from one IPv6 network of 64 bits. Beyond that new ones are closed. Addresses in http.trustedProxies are exempt.',
  }),
} as const

/** Limits for clients of the embedded broker. */
export const BROKER_LIMITS = {
  'ingest.broker.maxLoginKilobytes': setting({
    schema: wholeNumber(1, 256),
    default: 8,
    description:
      'Largest MQTT packet, in kilobytes, that the embedded broker reads before log-in, and the largest packet without a message after log-in.',
  }),
  'ingest.broker.maxMessageKilobytes': setting({
    schema: wholeNumber(1, 262_144),
    default: 1024,
    description: 'Largest message, in kilobytes, that the embedded broker reads.',
  }),
  'ingest.broker.maxWaitingMegabytes': setting({
    schema: wholeNumber(1, 65_536),
    default: 64,
    description:
      'Megabytes of messages from all clients of the embedded broker that wait to be stored. Beyond that the broker stops reading until some are stored.',
  }),
  'ingest.broker.maxConnections': setting({
    schema: wholeNumber(1, 1_000_000),
    default: 1000,
    description:
      'Connections to the embedded broker. Beyond that new ones are closed. The limit of open files lowers it together with http.maxConnections.',
  }),
  'ingest.broker.maxConnectionsPerAddress': setting({
    schema: wholeNumber(1, 1_000_000),
    default: 250,
    description:
      'Connections to the embedded broker from one address, or from one IPv6 network of 64 bits. Beyond that new ones are closed.',
  }),
  'ingest.broker.loginSeconds': setting({
    schema: wholeNumber(1, 3600),
    default: 10,
    description:
      'Seconds from the connection to the log-in at the embedded broker, TLS handshake included. Beyond that the connection is closed.',
  }),
} as const
