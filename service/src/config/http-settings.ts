import { Type } from 'typebox'
import { CONNECTION_LIMITS } from './access-settings.ts'
import { setting } from './setting.ts'
import { fileOrEmpty, port, wholeNumber } from './setting-schemas.ts'
import { parseCertificateName } from '../domain/access/certificate-name.ts'
import { parseNetwork } from '../domain/access/network.ts'

function isPublicUrl(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && `${url.search}${url.hash}${url.username}` === ''
}

/** Settings of the interface and its limits. */
export const HTTP_SETTINGS = {
  'http.host': setting({
    schema: Type.String(),
    default: '::',
    description:
      'Address to listen on. :: is all addresses of IPv6 and IPv4; on a machine without IPv6 all of IPv4. 0.0.0.0 is all addresses of IPv4 only. 127.0.0.1 accepts connections from this machine only.',
  }),
  'http.port': setting({
    schema: port,
    default: 8443,
    description: 'Port of the interface, HTTPS only. 0: any free port.',
  }),
  'http.workers': setting({
    schema: Type.Union([wholeNumber(1, 256), Type.Literal('auto')], {
      title: 'a whole number from 1 to 256, or auto',
    }),
    default: 1,
    description:
      'Processes that share the port and answer requests that read data. The first one does everything else too. auto: as many as the machine has cores for this service. Each process beside the first one takes about 80 MB of memory of its own at rest.',
  }),
  'http.publicUrl': setting({
    schema: Type.String({ title: 'an https URL without query and fragment, or empty' }),
    accepts: (url) => url === '' || isPublicUrl(url),
    default: '',
    description:
      'Address at which people reach the service, for example https://monitoring.example. Mails then have a link, and addresses of cameras begin with it. Empty: mails have no link, and addresses of cameras begin with the host that the client has asked.',
  }),
  'http.certificate': setting({
    schema: fileOrEmpty,
    default: '',
    description:
      'PEM file of your certificate with its chain. Empty: a self-signed certificate is made at the first start and kept in the data folder. Changed files are read again without a restart.',
  }),
  'http.key': setting({
    schema: fileOrEmpty,
    default: '',
    description: 'PEM file of the private key of http.certificate.',
  }),
  'http.certificateNames': setting({
    schema: Type.Array(Type.String(), {
      title: 'a list of host names such as shm.example or *.shm.example, and addresses',
    }),
    accepts: (names) => names.every((name) => parseCertificateName(name) !== undefined),
    default: [],
    description:
      'Host names and addresses of the certificate that the service makes, besides localhost, the host name and the addresses of this machine. A change takes effect with "plumbline certificate renew".',
  }),
  'http.trustedProxies': setting({
    schema: Type.Array(Type.String(), {
      title: 'a list of addresses or networks such as 10.0.0.0/8',
    }),
    accepts: (networks) => networks.every((network) => parseNetwork(network) !== undefined),
    default: [],
    description:
      'Addresses or networks of reverse proxies whose X-Forwarded-* headers are trusted. Those of other senders are ignored.',
  }),
  'http.requestTimeoutSeconds': setting({
    schema: Type.Number({ minimum: 1, maximum: 3600, unit: 'seconds' }),
    default: 9,
    description:
      'Seconds within which a request must arrive completely. Raise it for loggers that send large files over slow links.',
  }),
  'http.handshakeSeconds': setting({
    schema: Type.Number({ minimum: 1, maximum: 120, unit: 'seconds' }),
    default: 10,
    description:
      'Seconds from the connection to the TLS handshake. Beyond that the connection is closed.',
  }),
  'http.stalledSeconds': setting({
    schema: Type.Number({ minimum: 1, maximum: 3600, unit: 'seconds' }),
    default: 60,
    description:
      'Seconds after which a client that reads nothing of its response is disconnected. A client that reads slowly keeps its connection.',
  }),
  ...CONNECTION_LIMITS,
  'http.hstsSeconds': setting({
    schema: Type.Integer({ minimum: 0, maximum: 63_072_000, unit: 'seconds' }),
    default: 0,
    description:
      'Seconds for which browsers use only HTTPS with this host (Strict-Transport-Security), on every port of it. 0: the header is not sent. Set it only with a certificate of a public authority: with a self-signed certificate it can lock users out of other services of the host.',
  }),
  'http.maxBodyMegabytes': setting({
    schema: Type.Number({ minimum: 1, maximum: 1024 }),
    default: 32,
    description:
      'Largest request body of ingest operations, in megabytes after decompression. Other operations accept 256 KB.',
  }),
  'http.bodyBudgetMegabytes': setting({
    schema: Type.Number({ minimum: 1, maximum: 65_536 }),
    default: 256,
    description:
      'Memory for the bodies of all requests together, in megabytes after decompression. A body that does not fit waits for two seconds, then gets 503. Bodies up to 64 KB always fit, and so does one body of http.maxBodyMegabytes.',
  }),
  'http.maxInflationRatio': setting({
    schema: Type.Number({ minimum: 1, maximum: 1032 }),
    default: 200,
    description:
      'Bytes after decompression allowed for each byte of a compressed body; the first megabyte is free. Beyond that: 413. Compressed waveforms with one repeated value need up to 1032.',
  }),
  'http.maxJsonDepth': setting({
    schema: wholeNumber(8, 1000),
    default: 32,
    description:
      'Levels of nested arrays and objects in a JSON body or message. Beyond that a body gets 400, and a message is rejected.',
  }),
  'http.maxJsonMembers': setting({
    schema: wholeNumber(1000, 100_000_000),
    default: 3_000_000,
    description:
      'Object members and array elements in a JSON body or message. Beyond that a body gets 400, and a message is rejected. A waveform needs one for each sample.',
  }),
} as const
