import { ACCESS_SETTINGS, BROKER_LIMITS, CONNECTION_LIMITS } from './access-settings.ts'
import { WatchedFolderSettings } from './folder-settings.ts'
import { listSetting } from './list-setting.ts'
import { InfluxSettings, MqttSettings, TopicSettings } from './mqtt-settings.ts'
import { setting } from './setting.ts'
import { MailSettings, PublishSettings, RuleSettings, WebhookSettings } from './telling-settings.ts'

const isPort = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 65_535

const isTerm = (days: number): boolean => days === 0 || (days >= 1 && days <= 36_500)
const isAddress = (value: string): boolean => URL.canParse(value)

/**
 * Everything an operator can set, by its place in the file.
 *
 * The sample file, the environment variables and the checks are made from this one table.
 */
export const SETTINGS = {
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
      'A request must have arrived whole within this time. Raise it for loggers that send large files over slow links.',
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
    description: 'Levels of lists and objects inside each other in a JSON body. Beyond that: 400.',
    expected: 'a whole number from 8 to 1000',
    accepts: (value) => Number.isInteger(value) && value >= 8 && value <= 1000,
  }),
  'http.maxJsonMembers': setting({
    default: 3_000_000,
    description:
      'Members of objects and elements of lists in a JSON body, all together. Beyond that: 400. A waveform needs one for each sample.',
    expected: 'a whole number from 1000 to 100000000',
    accepts: (value) => Number.isInteger(value) && value >= 1000 && value <= 100_000_000,
  }),
  'ops.host': setting({
    default: '127.0.0.1',
    description: 'Address of health and metrics, plain HTTP: keep it on this machine.',
  }),
  'ops.port': setting({
    default: 8444,
    description: 'Port of /health/live, /health/ready and /metrics; 0 turns them off.',
    expected: 'a port from 0 to 65535',
    accepts: isPort,
  }),
  'storage.synchronous': setting({
    default: 'full',
    description:
      'full: what is acknowledged survives a power cut. off: it may not; only for trials on data you can lose.',
    expected: 'full or off',
    accepts: (value) => value === 'full' || value === 'off',
  }),
  'seal.afterDays': setting({
    default: 2,
    description:
      'Days that ended so many days ago are sealed: kept in the compressed bytes in which they are sent. They can still be corrected.',
    expected: 'a number of days from 0 to 36500',
    accepts: (value) => value >= 0 && value <= 36_500,
  }),
  'seal.everyMinutes': setting({
    default: 10,
    description: 'How often past days are looked for, to seal them; 0 does not by itself.',
    expected: 'a number of minutes from 0 to 1440',
    accepts: (value) => value >= 0 && value <= 1440,
  }),
  'seal.share': setting({
    default: 0.5,
    description: 'The part of one core that sealing may take while the service answers.',
    expected: 'a number above 0, at most 1',
    accepts: (value) => value > 0 && value <= 1,
  }),
  'retention.everyMinutes': setting({
    default: 10,
    description:
      'How often records past the retention of their structure are looked for, to delete them; 0 never does.',
    expected: 'a number of minutes from 0 to 1440',
    accepts: (value) => value >= 0 && value <= 1440,
  }),
  'retention.maxShareOfDay': setting({
    default: 0.05,
    description:
      'The part of the records of one kind of a structure that retention may delete in a day, or its two oldest days if they have more. "plumbline retention --yes" deletes everything past its term.',
    expected: 'a number from 0 to 1',
    accepts: (value) => value >= 0 && value <= 1,
  }),
  'retention.maxClockJumpHours': setting({
    default: 24,
    description:
      'Hours by which the clock may go ahead of the running time of the service, pauses included. Beyond that, deletion by age goes on from the last proven instant until the service has run for as many hours, or "plumbline retention --confirm-clock".',
    expected: 'a number of hours from 1 to 8760',
    accepts: (value) => value >= 1 && value <= 8760,
  }),
  'retention.cpuShare': setting({
    default: 0.5,
    description: 'The part of one core that retention may take while the service answers.',
    expected: 'a number above 0, at most 1',
    accepts: (value) => value > 0 && value <= 1,
  }),
  'ingest.clockToleranceSeconds': setting({
    default: 300,
    description:
      'How far ahead of the clock of this machine the time of a record may lie. One that lies further ahead, up to a day, is stored and reported; it becomes the newest and is evaluated when its time has come.',
    expected: 'a number of seconds from 0 to 86400',
    accepts: (value) => value >= 0 && value <= 86_400,
  }),
  'ingest.earliestTime': setting({
    default: '2001-01-01',
    description:
      'The earliest time that a live record may have, by HTTP, MQTT, line protocol or a watched folder; clocks that have lost power often begin again in 1970, 1980, 1990 or 2000. An earlier one is rejected with both clocks named. "plumbline import" and manual readings take records of any past.',
    expected: 'a day such as 2001-01-01, in UTC, or an instant such as 2001-01-01T00:00:00+08:00',
    accepts: (value) =>
      /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d))?$/.test(value) &&
      !Number.isNaN(Date.parse(value)),
  }),
  'alarms.watchEverySeconds': setting({
    default: 30,
    description:
      'How often devices are looked at, to tell which have fallen silent or are in contact again; 0 never does.',
    expected: 'a number of seconds from 0 to 3600',
    accepts: (value) => value >= 0 && value <= 3600,
  }),
  'ingest.backfillMinutes': setting({
    default: 15,
    description:
      'Records of which the newest is older than this are backfill: they are stored in small portions, between which live records are stored.',
    expected: 'a number of minutes from 0 to 525600',
    accepts: (value) => value >= 0 && value <= 525_600,
  }),
  'ingest.backfillRecords': setting({
    default: 500,
    description: 'More records than this in one request or message are backfill too.',
    expected: 'a whole number from 1 to 100000',
    accepts: (value) => Number.isInteger(value) && value >= 1 && value <= 100_000,
  }),
  'vibration.cacheMegabytes': setting({
    default: 128,
    description:
      'So much memory keeps finished answers of waveforms and spectra, for those who ask again; 0 keeps none.',
    expected: 'a number from 0 to 65536',
    accepts: (value) => value >= 0 && value <= 65_536,
  }),
  'vibration.maxAnalysisSamples': setting({
    default: 2_000_000,
    description:
      'Samples of a waveform that is analysed: spectrum, PSD, peaks, spectrogram, integral, cable force and tracked frequencies. A longer one is stored and served; analysing it: 400. An analysis takes up to 300 bytes of memory for each sample, one at a time.',
    expected: 'a whole number from 1000 to 100000000',
    accepts: (value) => Number.isInteger(value) && value >= 1000 && value <= 100_000_000,
  }),
  'tokens.lifetimeDays': setting({
    default: 30,
    description: 'How long an access token is valid; clients of the interface count on 30.',
    expected: 'a number of days above 0, at most 3650',
    accepts: (value) => value > 0 && value <= 3650,
  }),
  'tokens.keepExpiredDays': setting({
    default: 365,
    description: 'How long an expired token can still be refreshed; then it is forgotten.',
    expected: 'a number of days from 0 to 3650',
    accepts: (value) => value >= 0 && value <= 3650,
  }),
  ...ACCESS_SETTINGS,
  'intake.mqtt': listSetting({
    schema: MqttSettings,
    description:
      'MQTT brokers whose messages are taken in. A message is acknowledged once it is durable.',
    example: `- name: site
  url: mqtts://broker.example:8883
  username: plumbline
  passwordFile: /etc/plumbline/mqtt-password
  sharedGroup: plumbline
  connections: 4
  subscriptions:
    - { topic: 'site/{sensor}/telemetry', preset: tsValues }
    - topic: 'gateway/+/up'
      records: $.readings[*]
      sensor: '@.id'
      time: '@.t'
      timeUnit: seconds
      fields: { temperature: '@.temp', frequency: '@.f' }
      sensors: { '17': 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01 }`,
  }),
  'intake.influx': listSetting({
    schema: InfluxSettings,
    description:
      'How InfluxDB line protocol at /ingest/v1/influx becomes records; the first entry that means a measurement reads it. Without any, the tag "sensor" is the id of the sensor and a field key its item key.',
    example: `- { measurement: cpu, sensor: '{host}', sensors: { gw-1: 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01 } }`,
  }),
  'intake.folders': listSetting({
    schema: WatchedFolderSettings,
    description: 'Folders whose files are read as they grow.',
    example: `- { path: /srv/loggers/bridge, pattern: '*.dat*', mapping: bridge.mapping.yaml }`,
  }),
  'intake.settleSeconds': setting({
    default: 60,
    description:
      'A last line without a line break is taken when its file has not changed for so long; until then it may be half written.',
    expected: 'a number of seconds from 0 to 86400',
    accepts: (value) => value >= 0 && value <= 86_400,
  }),
  'intake.keepRefusals': setting({
    default: 10_000,
    description:
      'Rejected messages, points and lines that are kept to be replayed, of each way in and of each file; beyond that the oldest are dropped, which is logged.',
    expected: 'a whole number of at least 1',
    accepts: (value) => Number.isInteger(value) && value >= 1,
  }),
  'ingest.keepPositionsDays': setting({
    default: 30,
    description:
      'Days after which it is forgotten how far a file of a watched folder was read that is gone. One that comes back later is read again, which stores the same records again.',
    expected: 'a number of days above 0, at most 36500',
    accepts: (value) => value > 0 && value <= 36_500,
  }),
  'ingest.keepRejectedMegabytesPerSource': setting({
    default: 64,
    description:
      'Megabytes of rejected records that are kept of one way in, or of all files of one folder; beyond that its oldest are dropped, which is logged.',
    expected: 'a number above 0, at most 1048576',
    accepts: (value) => value > 0 && value <= 1_048_576,
  }),
  'ingest.keepRejectedMegabytes': setting({
    default: 256,
    description:
      'Megabytes of rejected records that are kept in all; beyond that the oldest of those sources are dropped that have most, which is logged.',
    expected: 'a number above 0, at most 1048576',
    accepts: (value) => value > 0 && value <= 1_048_576,
  }),
  'intake.keepChangesDays': setting({
    default: 90,
    description: 'Days an import, a recomputation or a deletion can be undone; 0: for ever.',
    expected: '0, or a number of days from 1 to 36500',
    accepts: isTerm,
  }),
  'ingest.archives.maxInflatedMegabytes': setting({
    default: 16_384,
    description:
      'Inflated megabytes that one archive of an import may hold, archives within it included.',
    expected: 'a number above 0, at most 16777216',
    accepts: (value) => value > 0 && value <= 16_777_216,
  }),
  'ingest.archives.maxRatio': setting({
    default: 200,
    description:
      'How many times its own size an archive may inflate to, beyond the first 64 MB. Files of loggers reach some 50.',
    expected: 'a number from 1 to 1000000',
    accepts: (value) => value >= 1 && value <= 1_000_000,
  }),
  'ingest.archives.maxMembers': setting({
    default: 100_000,
    description: 'Members that an archive may have, those of archives within it included.',
    expected: 'a whole number of at least 1',
    accepts: (value) => Number.isInteger(value) && value >= 1,
  }),
  'ingest.archives.maxDepth': setting({
    default: 5,
    description: 'Archives that may lie within each other.',
    expected: 'a whole number from 1 to 20',
    accepts: (value) => Number.isInteger(value) && value >= 1 && value <= 20,
  }),
  'intake.broker.port': setting({
    default: 0,
    description:
      'Port of a small MQTT 3.1.1 broker of our own, for sites that have none; 0 turns it off. Clients publish to it with an ingest key as their password and any user name.',
    expected: 'a port from 0 to 65535',
    accepts: isPort,
  }),
  'intake.broker.host': setting({
    default: '0.0.0.0',
    description: 'Address that the broker listens on.',
  }),
  'intake.broker.tls': setting({
    default: 'on',
    description:
      'on: the broker speaks TLS with the certificate of the interface. off: in the clear, on a loopback address only.',
    expected: 'on or off',
    accepts: (value) => value === 'on' || value === 'off',
  }),
  'intake.broker.topics': listSetting({
    schema: TopicSettings,
    description: 'Topics that clients may publish to, and how their messages are read.',
    example: `- { topic: 'site/{sensor}/{key}', preset: valuePerTopic }`,
  }),
  ...BROKER_LIMITS,
  'telling.rules': listSetting({
    schema: RuleSettings,
    description:
      'Who is told of which alarms. Every channel that a rule names is told of a step, once.',
    example: `- name: office
  to: [office-mail, duty-system]
  structures: [101, 102]
  levels: [1, 2]
  types: [1]
  events: [new, raised, cleared]
  quietHours:
    - { from: '22:00', to: '06:00', exceptLevels: [1] }
    - { from: '00:00', to: '00:00', days: [sun], exceptLevels: [1] }
  reminderEvery: 3600`,
  }),
  'telling.webhooks': listSetting({
    schema: WebhookSettings,
    description: 'Channels that post messages as JSON over HTTPS, signed.',
    example: `- { name: duty-system, url: 'https://duty.example/plumbline', secretFile: /etc/plumbline/duty-secret }`,
  }),
  'telling.mail': listSetting({
    schema: MailSettings,
    description: 'Channels that send mails by SMTP.',
    example: `- name: office-mail
  host: mail.example
  user: plumbline
  passwordFile: /etc/plumbline/mail-password
  from: Plumbline <plumbline@mail.example>
  to: [office@mail.example, duty@mail.example]`,
  }),
  'telling.mqtt': listSetting({
    schema: PublishSettings,
    description: 'Channels that publish messages as JSON to an MQTT broker, with QoS 1.',
    example: `- { name: scada, url: 'mqtts://broker.example:8883', topic: 'alarms/{structure}/{event}' }`,
  }),
  'telling.privateAddresses': setting({
    default: 'allow',
    description:
      'allow: webhooks may lead to private and loopback addresses, where most receivers of a site are; only the operator writes webhooks. refuse: they may not, whatever their name leads to, NAT64, 6to4 and multicast included.',
    expected: 'allow or refuse',
    accepts: (value) => value === 'allow' || value === 'refuse',
  }),
  'telling.floodMessages': setting({
    default: 30,
    description:
      'At most so many messages go to a channel within the time below; what is more is held back and counted in one summary. 0: any number.',
    expected: 'a whole number from 0 to 100000',
    accepts: (value) => Number.isInteger(value) && value >= 0 && value <= 100_000,
  }),
  'telling.floodMinutes': setting({
    default: 10,
    description: 'The time within which they are counted.',
    expected: 'a number of minutes above 0, at most 1440',
    accepts: (value) => value > 0 && value <= 1440,
  }),
  'telling.retryFirstSeconds': setting({
    default: 5,
    description:
      'The pause before a message that failed is tried again; each further one is twice as long, less up to a half by chance.',
    expected: 'a number of seconds above 0, at most 3600',
    accepts: (value) => value > 0 && value <= 3600,
  }),
  'telling.retryLongestMinutes': setting({
    default: 60,
    description: 'The longest pause.',
    expected: 'a number of minutes above 0, at most 1440',
    accepts: (value) => value > 0 && value <= 1440,
  }),
  'telling.giveUpAfterDays': setting({
    default: 3,
    description: 'A message that still fails after so many days is given up, which is logged.',
    expected: 'a number of days above 0, at most 365',
    accepts: (value) => value > 0 && value <= 365,
  }),
  'telling.keepLogDays': setting({
    default: 365,
    description: 'How long it is kept what became of messages.',
    expected: 'a number of days above 0, at most 36500',
    accepts: (value) => value > 0 && value <= 36_500,
  }),
  'media.hls': setting({
    default: 'https://localhost:8443/media/hls',
    description: 'Base address of HLS playback, as players reach it.',
    expected: 'a URL',
    accepts: isAddress,
  }),
  'media.rtmp': setting({
    default: 'rtmp://localhost:1935/live',
    description: 'Base address of RTMP playback.',
    expected: 'a URL',
    accepts: isAddress,
  }),
  'media.flv': setting({
    default: 'https://localhost:8443/media/flv',
    description: 'Base address of HTTP-FLV playback.',
    expected: 'a URL',
    accepts: isAddress,
  }),
  'log.level': setting({
    default: 'info',
    description: 'How much is logged: fatal, error, warn, info, debug or silent.',
    expected: 'fatal, error, warn, info, debug or silent',
    accepts: (value) => ['fatal', 'error', 'warn', 'info', 'debug', 'silent'].includes(value),
  }),
} as const

export type SettingName = keyof typeof SETTINGS

export type Config = { readonly [Name in SettingName]: Widen<(typeof SETTINGS)[Name]['default']> }

/** The type of a default, not the default itself. */
type Widen<Value> = Value extends string
  ? string
  : Value extends number
    ? number
    : Value extends string[]
      ? string[]
      : Value

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[]

/** `http.maxBodyMegabytes` is `PLUMBLINE_HTTP_MAX_BODY_MEGABYTES`. */
export const environmentName = (name: string): string =>
  `PLUMBLINE_${name.replaceAll(/[A-Z]/g, '_$&').replaceAll('.', '_').toUpperCase()}`
