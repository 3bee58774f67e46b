import { BROKER_LIMITS } from './access-settings.ts'
import { WatchedFolderSettings } from './folder-settings.ts'
import { listSetting } from './list-setting.ts'
import { LineProtocolSettings, MqttSettings, TopicSettings } from './mqtt-settings.ts'
import { isPort } from './port.ts'
import { setting } from './setting.ts'

const isTerm = (days: number): boolean => days === 0 || (days >= 1 && days <= 36_500)

/** Which records are early, too old or backfill. */
export const INGEST_SETTINGS = {
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
} as const

/** The ways in besides HTTP, and how long what they need is kept. */
export const SOURCE_SETTINGS = {
  'ingest.mqtt': listSetting({
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
  'ingest.lineProtocol': listSetting({
    schema: LineProtocolSettings,
    description:
      'How InfluxDB line protocol at /ingest/v1/influx becomes records; the first entry that means a measurement reads it. Without any, the tag "sensor" is the id of the sensor and a field key its item key.',
    example: `- { measurement: cpu, sensor: '{host}', sensors: { gw-1: 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01 } }`,
  }),
  'ingest.folders': listSetting({
    schema: WatchedFolderSettings,
    description: 'Folders whose files are read as they grow.',
    example: `- { path: /srv/loggers/bridge, pattern: '*.dat*', mapping: bridge.mapping.yaml }`,
  }),
  'ingest.fileIdleSeconds': setting({
    default: 60,
    description:
      'A last line without a line break is taken when its file has not changed for so long; until then it may be half written.',
    expected: 'a number of seconds from 0 to 86400',
    accepts: (value) => value >= 0 && value <= 86_400,
  }),
  'ingest.keepRejects': setting({
    default: 10_000,
    description:
      'Rejected messages, points and lines that are kept to be replayed, of each way in and of each file; beyond that the oldest are dropped, which is logged.',
    expected: 'a whole number of at least 1',
    accepts: (value) => Number.isInteger(value) && value >= 1,
  }),
  'ingest.maxReservedMegabytes': setting({
    default: 256,
    description:
      'NUL bytes in a row, in megabytes, up to which a file of a watched folder or an import is read on: space that its logger has reserved and not filled. More of them end the reading of the file, in a watched folder until it changes; what stands before them is stored. The default is an assumption: set it higher where loggers reserve more.',
    expected: 'a number above 0, at most 16777216',
    accepts: (value) => value > 0 && value <= 16_777_216,
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
  'ingest.keepChangesDays': setting({
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
  'ingest.broker.port': setting({
    default: 0,
    description:
      'Port of a small MQTT 3.1.1 broker of our own, for sites that have none; 0 turns it off. Clients publish to it with an ingest key as their password and any user name.',
    expected: 'a port from 0 to 65535',
    accepts: isPort,
  }),
  'ingest.broker.host': setting({
    default: '0.0.0.0',
    description: 'Address that the broker listens on.',
  }),
  'ingest.broker.tls': setting({
    default: 'on',
    description:
      'on: the broker speaks TLS with the certificate of the interface. off: in the clear, on a loopback address only.',
    expected: 'on or off',
    accepts: (value) => value === 'on' || value === 'off',
  }),
  'ingest.broker.topics': listSetting({
    schema: TopicSettings,
    description: 'Topics that clients may publish to, and how their messages are read.',
    example: `- { topic: 'site/{sensor}/{key}', preset: valuePerTopic }`,
  }),
  ...BROKER_LIMITS,
} as const
