import { count, setting } from './setting.ts'

/** What wrong secrets cost, and how much is logged of it. */
export const ACCESS_SETTINGS = {
  'tokens.failuresPerMinute': setting({
    default: 10,
    description:
      'Wrong application secrets allowed per minute from one address, and ten times as many for one application from all addresses. Beyond that: 429. A right secret always passes.',
    ...count(1, 1_000_000),
  }),
  'access.failuresPerMinute': setting({
    default: 60,
    description:
      'Wrong access tokens, ingest keys and MQTT passwords allowed per minute from one address. Beyond that: 429. A right one always passes.',
    ...count(1, 1_000_000),
  }),
  'log.securityLinesPerMinute': setting({
    default: 60,
    description:
      'Lines per minute of each security event in the log. Beyond that: the events are counted, and one line says how many there were.',
    ...count(1, 100_000),
  }),
} as const

/** How many connections the interface serves. */
export const CONNECTION_LIMITS = {
  'http.maxConnections': setting({
    default: 2000,
    description:
      'Connections to the interface. Beyond that: new ones are closed. The limit of open files of the process lowers it, and the log says so at the start: with ingest.broker.maxConnections and 200 more it must not exceed that limit (Linux).',
    ...count(1, 1_000_000),
  }),
  'http.maxConnectionsPerAddress': setting({
    default: 500,
    description:
      'Connections to the interface from one address, or from one IPv6 network of 64 bits. Beyond that: new ones are closed. It does not hold for http.trustedProxies.',
    ...count(1, 1_000_000),
  }),
} as const

/** What clients of the embedded broker may take of the service. */
export const BROKER_LIMITS = {
  'ingest.broker.maxLoginKilobytes': setting({
    default: 8,
    description:
      'Largest MQTT packet that the embedded broker reads before log-in, and the largest that is no message after it.',
    ...count(1, 256),
  }),
  'ingest.broker.maxMessageKilobytes': setting({
    default: 1024,
    description: 'Largest message that the embedded broker reads.',
    ...count(1, 262_144),
  }),
  'ingest.broker.maxWaitingMegabytes': setting({
    default: 64,
    description:
      'Messages of all clients of the embedded broker that are not stored yet. Beyond that: it reads no further until some are.',
    ...count(1, 65_536),
  }),
  'ingest.broker.maxConnections': setting({
    default: 1000,
    description:
      'Connections to the embedded broker. Beyond that: new ones are closed. The limit of open files of the process lowers it, as it lowers http.maxConnections.',
    ...count(1, 1_000_000),
  }),
  'ingest.broker.maxConnectionsPerAddress': setting({
    default: 250,
    description:
      'Connections to the embedded broker from one address, or from one IPv6 network of 64 bits. Beyond that: new ones are closed.',
    ...count(1, 1_000_000),
  }),
  'ingest.broker.loginSeconds': setting({
    default: 10,
    description:
      'Time from the connection to the log-in at the embedded broker, the TLS handshake included. Beyond that: the connection is closed.',
    ...count(1, 3600),
  }),
} as const
