import { Type, type Static } from 'typebox'
import { oneOf } from './common.ts'
import { id } from './site-values.ts'
import { CSV_TIME_KINDS, WAVEFORM_FORMATS } from './waveform-formats.ts'

const closed = { additionalProperties: false }

const name = (title: string, description: string) =>
  Type.Union(
    [
      Type.String({ minLength: 1, title: `the name of a ${title}` }),
      Type.Integer({ minimum: 1, title: 'its number, the first is 1' }),
    ],
    { description },
  )

const Channel = Type.Object(
  {
    channel: name('channel', 'The name of the channel in the file, or its number.'),
    station: id('The station of the waveform.'),
    scale: Type.Optional(
      Type.Number({ default: 1, description: 'The factor by which the samples are multiplied.' }),
    ),
    unit: Type.Optional(
      Type.String({ description: 'The unit of the samples after the multiplication.' }),
    ),
  },
  { ...closed, description: 'The station of a channel.' },
)

const CsvWaveforms = Type.Object(
  {
    delimiter: Type.Optional(
      Type.String({
        minLength: 1,
        default: ',',
        description:
          'The separator of columns: a character, `tab`, or `blanks` for any number of spaces and tabs.',
      }),
    ),
    decimalComma: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether numbers have a decimal comma, as in 1,5.',
      }),
    ),
    headerRow: Type.Optional(
      Type.Integer({
        minimum: 0,
        default: 1,
        description: 'The line of the column names, the first is 1; 0 without names.',
      }),
    ),
    dataRow: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'The line of the first values. Default: the line after the names.',
      }),
    ),
    columns: Type.Optional(
      Type.Array(name('column', 'A column.'), {
        minItems: 1,
        description: 'The columns of samples. Default: all except the time.',
      }),
    ),
    time: Type.Optional(
      Type.Object(
        {
          column: name('column', 'The name or number of the column of the times.'),
          kind: oneOf(CSV_TIME_KINDS, {
            description: 'The kind of the times; a text has the format YYYY-MM-DD HH:MM:SS.',
          }),
          tolerance: Type.Optional(
            Type.Number({
              exclusiveMinimum: 0,
              default: 0.25,
              description:
                'The largest deviation of a time from the sample rate, in sample periods.',
            }),
          ),
        },
        { ...closed, description: 'The times of the rows.' },
      ),
    ),
  },
  { ...closed, description: 'The format of a CSV file.' },
)

/** A mapping file for waveform files: the stations of their channels. */
export const WaveformMappingFile = Type.Object(
  {
    format: Type.Literal('waveform', { description: 'Waveform files.' }),
    file: Type.Optional(
      oneOf(['auto', ...WAVEFORM_FORMATS], {
        default: 'auto',
        description: 'The format of the files; `auto` recognises it by the first bytes.',
      }),
    ),
    channels: Type.Array(Channel, {
      minItems: 1,
      description: 'The channels that are stored. Other channels are reported and skipped.',
    }),
    unit: Type.Optional(
      Type.String({ description: 'The unit of every channel for which the file has none.' }),
    ),
    sampleFreq: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        description: 'The sample rate in Hz, where the file has none.',
      }),
    ),
    start: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The time of the first sample, where the file has none.',
      }),
    ),
    offset: Type.Optional(
      Type.String({
        title: 'a fixed offset such as +08:00',
        pattern: '^[+-]([01]\\d|2[0-3]):[0-5]\\d$',
        description:
          'The offset from UTC of times without one. Default: the time zone of the stations.',
      }),
    ),
    gapTolerance: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        default: 0.5,
        description:
          'miniSEED: the largest gap or overlap between two records of one waveform, in sample periods.',
      }),
    ),
    csv: Type.Optional(CsvWaveforms),
  },
  { ...closed, description: 'A mapping file of Plumbline for waveforms.' },
)

export type WaveformMappingFile = Static<typeof WaveformMappingFile>
