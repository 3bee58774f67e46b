import { Type, type Static, type TSchema } from 'typebox'
import { BATCH_MAXIMUM, oneOf } from './common.ts'
import { operation } from './operation.ts'
import { CSV_TIME_KINDS, WAVEFORM_FORMATS } from './waveform-formats.ts'

export type IngestTime = Static<typeof IngestTime>
export const IngestTime = Type.Union([Type.String(), Type.Integer()], {
  description:
    'A local date and time YYYY-MM-DD HH:mm:ss of the structure, an ISO 8601 instant with offset, or epoch milliseconds.',
})

export type IngestReport = Static<typeof IngestReport>
/** The result of a record batch, sent after the commit. */
export const IngestReport = Type.Object({
  accepted: Type.Integer({ minimum: 0, description: 'Records that are stored.' }),
  replaced: Type.Integer({
    minimum: 0,
    description: 'Accepted records of an instant that had one already.',
  }),
  rejected: Type.Array(
    Type.Object({
      index: Type.Integer({ minimum: 0, description: 'Position in the batch, from 0.' }),
      message: Type.String(),
    }),
  ),
})

const Values = Type.Record(Type.String(), Type.Union([Type.Number(), Type.Null()]), {
  description: 'Values by item key; null means no value.',
})

const OneQuality = Type.Union(
  [Type.String({ maxLength: 1000 }), Type.Integer({ minimum: 0, maximum: 0xffff_ffff })],
  {
    description:
      'Good, uncertain or bad, also with a reason (bad: cable cut), or the name or number of a status code of OPC UA.',
  },
)

const Quality = Type.Optional(
  Type.Union(
    [OneQuality, Type.Record(Type.String(), Type.Union([OneQuality, Type.Null()])), Type.Null()],
    {
      description:
        'The quality of all values, or qualities by item key. Default: the values are good.',
    },
  ),
)

export const ThemeInput = Type.Object({
  station: Type.Integer(),
  time: IngestTime,
  values: Values,
  quality: Quality,
})

export const RawInput = Type.Object({
  sensor: Type.String({ format: 'uuid' }),
  time: IngestTime,
  values: Values,
  quality: Quality,
})

export const TrafficInput = Type.Object({
  structure: Type.Integer(),
  time: IngestTime,
  id: Type.Optional(Type.String({ description: 'Number of the record in the weighing system.' })),
  license: Type.Optional(Type.String()),
  lane: Type.String(),
  direction: Type.Integer({ minimum: 0, maximum: 1 }),
  axleCount: Type.Integer({ minimum: 0 }),
  load: Type.Number(),
  axleLoad: Type.Optional(Type.String()),
  overload: Type.Optional(Type.Boolean()),
})

export const VibrationInput = Type.Object({
  station: Type.Integer(),
  collectTime: IngestTime,
  sampleFreq: Type.Union([Type.Number(), Type.String()], { description: 'In Hz.' }),
  unit: Type.String(),
  samples: Type.Array(Type.Number(), { minItems: 1 }),
})

export type VibrationReport = Static<typeof VibrationReport>
/** The report of waveforms; for a file also the channels that were skipped. */
export const VibrationReport = Type.Object({
  ...IngestReport.properties,
  unmapped: Type.Optional(
    Type.Array(Type.String(), { description: 'Channels of a file without a station.' }),
  ),
})

/** Describes a body of bytes; a JSON body has these members itself. */
const BytesQuery = Type.Object({
  station: Type.Optional(VibrationInput.properties.station),
  collectTime: Type.Optional(VibrationInput.properties.collectTime),
  sampleFreq: Type.Optional(VibrationInput.properties.sampleFreq),
  unit: Type.Optional(VibrationInput.properties.unit),
  encoding: Type.Optional(
    Type.Union([Type.Literal('float32'), Type.Literal('float64')], {
      description: 'For `application/octet-stream`: the type of the samples, little-endian.',
    }),
  ),
  format: Type.Optional(
    oneOf(['auto', ...WAVEFORM_FORMATS], {
      description:
        'For `application/octet-stream`: the format of a waveform file. Default: the body is samples.',
    }),
  ),
  channels: Type.Optional(
    Type.String({
      description:
        'For a file: the stations of its channels, `CHANNEL:STATION,...`; a channel is a name or ' +
        'a number from 1.',
    }),
  ),
  count: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'The expected number of samples, for a file of each channel.',
    }),
  ),
  delimiter: Type.Optional(
    Type.String({ description: 'For a CSV file: one character, or `tab`. Default: a comma.' }),
  ),
  headerRow: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'For a CSV file: the line of the column names, 0 without names.',
    }),
  ),
  timeColumn: Type.Optional(
    Type.String({ description: 'For a CSV file: the name or number of the column of times.' }),
  ),
  timeKind: Type.Optional(
    oneOf(CSV_TIME_KINDS, {
      description: 'For a CSV file: the kind of its times. Default: `text`.',
    }),
  ),
})

export const HeartbeatInput = Type.Object({
  device: Type.String({ format: 'uuid' }),
  time: IngestTime,
  error: Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'An error that the device reports. Default: none.',
    }),
  ),
})

export const LINE_PROTOCOL_PRECISIONS = ['ns', 'us', 'ms', 's'] as const

const batch = <Record extends TSchema>(record: Record) =>
  Type.Array(record, { maxItems: BATCH_MAXIMUM })

const JSON_OR_LINES = ['application/json', 'application/x-ndjson'] as const
const response = { 200: IngestReport }

const ingestConfig = (records: string) =>
  ({
    access: 'key',
    failure: { name: 'IngestError', message: `${records} could not be stored` },
  }) as const

/** What records do to stored ones of the same source and instant. */
export const REPLACEMENTS = ['keys', 'whole'] as const

export type Replacement = (typeof REPLACEMENTS)[number]

const RecordsQuery = Type.Object({
  replace: Type.Optional(
    oneOf(REPLACEMENTS, {
      description:
        '`keys`: of a stored record of the same source and instant, the values that a record names are replaced, and the others stay. `whole`: the whole record is replaced. Default: `keys`.',
    }),
  ),
})

export const ingestTheme = operation({
  operationId: 'ingestTheme',
  summary: 'Store station records',
  method: 'POST',
  url: '/theme',
  base: '/ingest/v1',
  noun: 'ingest',
  consumes: JSON_OR_LINES,
  config: ingestConfig('Theme records'),
  schema: {
    querystring: RecordsQuery,
    body: Type.Object({ records: batch(ThemeInput) }),
    response,
  },
})

export const ingestRaw = operation({
  operationId: 'ingestRaw',
  summary: 'Store raw records and derive station records from them',
  method: 'POST',
  url: '/raw',
  base: '/ingest/v1',
  noun: 'ingest',
  consumes: JSON_OR_LINES,
  config: ingestConfig('Raw records'),
  schema: { querystring: RecordsQuery, body: Type.Object({ records: batch(RawInput) }), response },
})

export const ingestTraffic = operation({
  operationId: 'ingestTraffic',
  summary: 'Store traffic records',
  method: 'POST',
  url: '/traffic',
  base: '/ingest/v1',
  noun: 'ingest',
  consumes: JSON_OR_LINES,
  config: ingestConfig('Traffic records'),
  schema: { body: Type.Object({ records: batch(TrafficInput) }), response },
})

export const ingestVibration = operation({
  operationId: 'ingestVibration',
  summary: 'Store a vibration batch or a waveform file',
  method: 'POST',
  url: '/vibration',
  base: '/ingest/v1',
  noun: 'ingest',
  consumes: [...JSON_OR_LINES, 'application/octet-stream'],
  config: ingestConfig('The vibration batch'),
  schema: {
    querystring: BytesQuery,
    body: VibrationInput,
    response: { 200: VibrationReport },
  },
})

export const ingestHeartbeats = operation({
  operationId: 'ingestHeartbeats',
  summary: 'Store heartbeats of devices',
  method: 'POST',
  url: '/heartbeats',
  base: '/ingest/v1',
  noun: 'ingest',
  consumes: JSON_OR_LINES,
  config: ingestConfig('Heartbeats'),
  schema: { body: Type.Object({ devices: batch(HeartbeatInput) }), response },
})

export const ingestPoints = operation({
  operationId: 'ingestPoints',
  summary: 'Store raw records in InfluxDB line protocol',
  method: 'POST',
  url: '/influx',
  base: '/ingest/v1',
  noun: 'ingest',
  consumes: ['text/plain'],
  config: ingestConfig('Points'),
  schema: {
    querystring: Type.Object({
      precision: oneOf(LINE_PROTOCOL_PRECISIONS, {
        default: 'ns',
        description: 'Unit of the timestamps.',
      }),
    }),
    body: Type.Object(
      { lines: Type.String({ description: 'Points, one in each line.' }) },
      // The body is the text of this member, not JSON.
      { plain: 'lines' },
    ),
    response,
  },
})
