import { Type } from 'typebox'
import { BROKER_LIMITS } from './access-settings.ts'
import { WatchedFolderSettings } from './folder-settings.ts'
import { LineProtocolSettings } from './line-protocol-settings.ts'
import { MqttSettings, TopicSettings } from './mqtt-settings.ts'
import { setting } from './setting.ts'
import { port, positive, wholeNumber } from './setting-schemas.ts'
import { oneOf } from '@plumbline/contract'

/** Settings of data sources, rejects, changes and archives. */
export const SOURCE_SETTINGS = {
  'ingest.mqtt': setting({
    schema: Type.Array(MqttSettings),
    default: [],
    description:
      'MQTT brokers whose messages are ingested. A message is acknowledged when its records are stored durably.',
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
  'ingest.lineProtocol': setting({
    schema: Type.Array(LineProtocolSettings),
    default: [],
    description:
      'Mappings of InfluxDB line protocol at /ingest/v1/influx to records. The first entry that matches a measurement applies. Without entries the tag "sensor" is the sensor id, and field keys are item keys.',
    example: `- { measurement: cpu, sensor: '{host}', sensors: { gw-1: 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01 } }`,
  }),
  'ingest.folders': setting({
    schema: Type.Array(WatchedFolderSettings),
    default: [],
    description: 'Watched folders, whose files are read as they grow.',
    example: `- { path: /srv/loggers/bridge, pattern: '*.dat*', mapping: bridge.mapping.yaml }`,
  }),
  'ingest.fileIdleSeconds': setting({
    schema: Type.Number({ minimum: 0, maximum: 86_400, unit: 'seconds' }),
    default: 60,
    description:
      'Seconds without a change of its file after which a last line without a line break is read, and a file of waveforms. Until then it may be incomplete.',
  }),
  'ingest.keepRejects': setting({
    schema: Type.Integer({ minimum: 1 }),
    default: 10_000,
    description:
      'Rejects (messages, points and lines) kept for replay, for each source and each file. Beyond that the oldest are dropped, and a warning is logged.',
  }),
  'ingest.maxReservedMegabytes': setting({
    schema: positive(16_777_216),
    default: 256,
    description:
      'Megabytes of consecutive NUL bytes that are skipped in a file of a watched folder or an import: space that its logger has reserved and not written yet. Beyond that the file is read no further, in a watched folder until it changes; the rows before them are stored. The default is an assumption: raise it for loggers that reserve more.',
  }),
  'ingest.keepPositionsDays': setting({
    schema: positive(36_500, 'days'),
    default: 30,
    description:
      'Days for which the read position of a deleted file of a watched folder is kept. A file that returns later is read again, which stores the same records again.',
  }),
  'ingest.keepRejectedMegabytesPerSource': setting({
    schema: positive(1_048_576),
    default: 64,
    description:
      'Megabytes of rejects kept for each source, or for all files of a folder. Beyond that its oldest are dropped, and a warning is logged.',
  }),
  'ingest.keepRejectedMegabytes': setting({
    schema: positive(1_048_576),
    default: 256,
    description:
      'Megabytes of rejects kept in all. Beyond that the oldest of the largest sources are dropped, and a warning is logged.',
  }),
  'ingest.keepChangesDays': setting({
    schema: Type.Union([
      Type.Literal(0),
      Type.Number({ minimum: 1, maximum: 36_500, unit: 'days' }),
    ]),
    default: 90,
    description:
      'Days for which an import, a recomputation or a deletion can be undone. 0: without a limit.',
  }),
  'ingest.maxImportMegabytes': setting({
    schema: positive(16_777_216),
    default: 4_096,
    description:
      'Megabytes of a file that is sent for an import. It is kept in the data folder until the import has ended.',
  }),
  'ingest.archives.maxInflatedMegabytes': setting({
    schema: positive(16_777_216),
    default: 16_384,
    description:
      'Megabytes that an archive of an import may hold after decompression, nested archives included.',
  }),
  'ingest.archives.maxRatio': setting({
    schema: Type.Number({ minimum: 1, maximum: 1_000_000 }),
    default: 200,
    description:
      'Ratio of the size of an archive after decompression to its size before; the first 64 MB are free. Logger files reach about 50.',
  }),
  'ingest.archives.maxMembers': setting({
    schema: Type.Integer({ minimum: 1 }),
    default: 100_000,
    description: 'Members of an archive, those of nested archives included.',
  }),
  'ingest.archives.maxDepth': setting({
    schema: wholeNumber(1, 20),
    default: 5,
    description: 'Levels of nested archives.',
  }),
  'ingest.broker.port': setting({
    schema: port,
    default: 0,
    description:
      'Port of the embedded MQTT 3.1.1 broker, for sites without a broker. 0: off. Clients log in with any user name and an ingest key as their password.',
  }),
  'ingest.broker.host': setting({
    schema: Type.String(),
    default: '::',
    description: 'Address on which the broker listens, as http.host.',
  }),
  'ingest.broker.tls': setting({
    schema: oneOf(['on', 'off']),
    default: 'on',
    description:
      'on: the broker uses TLS with the certificate of the interface. off: no TLS, on a loopback address only.',
  }),
  'ingest.broker.topics': setting({
    schema: Type.Array(TopicSettings),
    default: [],
    description: 'Topics to which clients may publish, and mappings of their messages.',
    example: `- { topic: 'site/{sensor}/{key}', preset: valuePerTopic }`,
  }),
  ...BROKER_LIMITS,
} as const
