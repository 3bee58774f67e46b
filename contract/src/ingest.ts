import { Type, type Static, type TSchema } from 'typebox'
import { BATCH_MAXIMUM } from './common.ts'
import { operation } from './operation.ts'

export type IngestTime = Static<typeof IngestTime>
export const IngestTime = Type.Union([Type.String(), Type.Integer()], {
  description:
    'A local date and time YYYY-MM-DD HH:mm:ss of the structure, an ISO 8601 instant with offset, or epoch milliseconds.',
})

export type IngestReport = Static<typeof IngestReport>
/** What became of a batch; it is sent after the commit. */
export const IngestReport = Type.Object({
  accepted: Type.Integer({ minimum: 0, description: 'Every record that is stored now.' }),
  replaced: Type.Integer({
    minimum: 0,
    description: 'Those of the accepted records that took the place of an earlier one.',
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

export const ThemeInput = Type.Object({
  station: Type.Integer(),
  time: IngestTime,
  values: Values,
})

export const RawInput = Type.Object({
  sensor: Type.String({ format: 'uuid' }),
  time: IngestTime,
  values: Values,
})

export const TrafficInput = Type.Object({
  structure: Type.Integer(),
  time: IngestTime,
  id: Type.Optional(
    Type.String({ description: "The weighing system's own number of the record." }),
  ),
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
/** The report of waveforms; of a file it also names what was left out. */
export const VibrationReport = Type.Object({
  ...IngestReport.properties,
  unmapped: Type.Optional(
    Type.Array(Type.String(), { description: 'Channels of a file that go to no station.' }),
  ),
})

/** What a body of bytes is called by; with any other body these are its members. */
const BytesQuery = Type.Object({
  station: Type.Optional(VibrationInput.properties.station),
  collectTime: Type.Optional(VibrationInput.properties.collectTime),
  sampleFreq: Type.Optional(VibrationInput.properties.sampleFreq),
  unit: Type.Optional(VibrationInput.properties.unit),
  encoding: Type.Optional(
    Type.Union([Type.Literal('float32'), Type.Literal('float64')], {
      description: 'Of an `application/octet-stream`: what its samples are, lowest byte first.',
    }),
  ),
  format: Type.Optional(
    Type.Union(
      ['auto', 'miniSEED', 'SAC', 'UFF58', 'CSMIP', 'COSMOS', 'WAV', 'CSV'].map((name) =>
        Type.Literal(name),
      ),
      {
        description:
          'Of an `application/octet-stream`: that it is a file of waveforms, and of which form.',
      },
    ),
  ),
  channels: Type.Optional(
    Type.String({
      description:
        'Of a file: which channel goes to which station, `NAME:STATION,...`; a channel by its ' +
        'name or its number from 1.',
    }),
  ),
  count: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'How many samples it has, or each channel of a file, to be checked.',
    }),
  ),
  delimiter: Type.Optional(
    Type.String({ description: 'Of a CSV file: one character, or `tab`. Left out: a comma.' }),
  ),
  headerRow: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Of a CSV file: the line of the names, 0 for none.' }),
  ),
  timeColumn: Type.Optional(
    Type.String({ description: 'Of a CSV file: the column of times, by name or number from 1.' }),
  ),
  timeKind: Type.Optional(
    Type.Union(
      ['seconds', 'milliseconds', 'epochSeconds', 'epochMilliseconds', 'text'].map((kind) =>
        Type.Literal(kind),
      ),
      { description: 'Of a CSV file: what its times are. Left out: `text`.' },
    ),
  ),
})

export const HeartbeatInput = Type.Object({
  device: Type.String({ format: 'uuid' }),
  time: IngestTime,
  error: Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'What it reports to be wrong with it; left out: it is well.',
    }),
  ),
})

export const LINE_PROTOCOL_PRECISIONS = ['ns', 'us', 'ms', 's'] as const

const batch = <Record extends TSchema>(record: Record) =>
  Type.Array(record, { maxItems: BATCH_MAXIMUM })

const JSON_OR_LINES = ['application/json', 'application/x-ndjson'] as const
const response = { 200: IngestReport }

const ingestConfig = (what: string) =>
  ({
    access: 'key',
    failure: { name: 'IngestError', message: `${what} could not be stored` },
  }) as const

export const ingestTheme = operation({
  operationId: 'ingestTheme',
  summary: 'Store station values that arrive ready',
  method: 'POST',
  url: '/theme',
  base: '/ingest/v1',
  noun: 'ingest',
  consumes: JSON_OR_LINES,
  config: ingestConfig('Theme records'),
  schema: { body: Type.Object({ records: batch(ThemeInput) }), response },
})

export const ingestRaw = operation({
  operationId: 'ingestRaw',
  summary: 'Store raw values and derive the stations from them',
  method: 'POST',
  url: '/raw',
  base: '/ingest/v1',
  noun: 'ingest',
  consumes: JSON_OR_LINES,
  config: ingestConfig('Raw records'),
  schema: { body: Type.Object({ records: batch(RawInput) }), response },
})

export const ingestTraffic = operation({
  operationId: 'ingestTraffic',
  summary: 'Store weighed vehicles',
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
  summary: 'Store a vibration batch, or a file of them',
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
  summary: 'Note that devices are alive',
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
  summary: 'Store raw values that come as InfluxDB line protocol',
  method: 'POST',
  url: '/influx',
  base: '/ingest/v1',
  noun: 'ingest',
  consumes: ['text/plain'],
  config: ingestConfig('Points'),
  schema: {
    querystring: Type.Object({
      precision: Type.Union(
        LINE_PROTOCOL_PRECISIONS.map((unit) => Type.Literal(unit)),
        { default: 'ns', description: 'Unit of the timestamps.' },
      ),
    }),
    body: Type.Object(
      { lines: Type.String({ description: 'One point a line.' }) },
      // The member is the body itself: it is no JSON.
      { plain: 'lines' },
    ),
    response,
  },
})
