import { CONNECTION_LIMITS } from './access-settings.ts'
import { isPort } from './port.ts'
import { setting } from './setting.ts'

/** How the interface listens, and what a request may be. */
export const HTTP_SETTINGS = {
  'http.host': setting({
    default: '0.0.0.0',
    description: 'Address to listen on; 127.0.0.1 answers this machine only.',
  }),
  'http.port': setting({
    default: 8443,
    description: 'Port of the interface, HTTPS only; 0 takes any free port.',
    expected: 'a port from 0 to 65535',
    accepts: isPort,
  }),
  'http.certificate': setting({
    default: '',
    description:
      'PEM file of your own certificate with its chain. Empty: one is made at the first start and kept in the data folder. The files are read again when they change.',
  }),
  'http.key': setting({
    default: '',
    description: 'PEM file of the private key that belongs to it.',
  }),
  'http.trustedProxies': setting<string[]>({
    default: [],
    description:
      'Addresses or networks of reverse proxies whose X-Forwarded-* headers are believed; from anybody else they are ignored.',
  }),
  'http.requestTimeoutSeconds': setting({
    default: 9,
    description:
      'A request must have been read whole within this time. Raise it for loggers that send large files over slow links.',
    expected: 'a number of seconds from 1 to 3600',
    accepts: (value) => value >= 1 && value <= 3600,
  }),
  'http.handshakeSeconds': setting({
    default: 10,
    description: 'Seconds a connection has to begin TLS. Beyond that it is closed.',
    expected: 'a number of seconds from 1 to 120',
    accepts: (value) => value >= 1 && value <= 120,
  }),
  'http.stalledSeconds': setting({
    default: 60,
    description:
      'Seconds after which a client that takes nothing of its answer is disconnected. One that reads slowly keeps its connection.',
    expected: 'a number of seconds from 1 to 3600',
    accepts: (value) => value >= 1 && value <= 3600,
  }),
  ...CONNECTION_LIMITS,
  'http.hstsSeconds': setting({
    default: 0,
    description:
      'Seconds for which browsers speak only HTTPS with this host (Strict-Transport-Security), on every port of it. 0: they are not told. Set it with a certificate of a public authority only: with a self-signed one it can lock users out of other services of the host.',
    expected: 'a whole number of seconds from 0 to 63072000',
    accepts: (value) => Number.isInteger(value) && value >= 0 && value <= 63_072_000,
  }),
  'http.maxBodyMegabytes': setting({
    default: 32,
    description:
      'The largest body that ingest accepts, after decompression. Elsewhere bodies are at most 256 KB.',
    expected: 'a number from 1 to 1024',
    accepts: (value) => value >= 1 && value <= 1024,
  }),
  'http.bodyBudgetMegabytes': setting({
    default: 256,
    description:
      'Memory for the bodies of all requests together, as bytes after decompression. A body that finds no room waits for two seconds; then 503. Bodies up to 64 KB always have room, and so has one body of http.maxBodyMegabytes.',
    expected: 'a number from 1 to 65536',
    accepts: (value) => value >= 1 && value <= 65_536,
  }),
  'http.maxInflationRatio': setting({
    default: 200,
    description:
      'Bytes that a compressed body may have after decompression for each byte that was sent; the first megabyte is free. Beyond that: 413. Compressed waveforms of one value alone need up to 1032.',
    expected: 'a number from 1 to 1032',
    accepts: (value) => value >= 1 && value <= 1032,
  }),
  'http.maxJsonDepth': setting({
    default: 32,
    description:
      'Levels of lists and objects inside each other in a JSON body or a message. Beyond that: 400; a message is rejected.',
    expected: 'a whole number from 8 to 1000',
    accepts: (value) => Number.isInteger(value) && value >= 8 && value <= 1000,
  }),
  'http.maxJsonMembers': setting({
    default: 3_000_000,
    description:
      'Members of objects and elements of lists in a JSON body or a message, all together. Beyond that: 400; a message is rejected. A waveform needs one for each sample.',
    expected: 'a whole number from 1000 to 100000000',
    accepts: (value) => Number.isInteger(value) && value >= 1000 && value <= 100_000_000,
  }),
} as const
