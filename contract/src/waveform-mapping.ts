import { Type, type Static } from 'typebox'
import { id } from './site-values.ts'

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
    channel: name('channel', "The channel, by the file's name of it or by its number."),
    station: id('The station whose waveform it is.'),
    scale: Type.Optional(
      Type.Number({ default: 1, description: 'What its samples are multiplied by.' }),
    ),
    unit: Type.Optional(
      Type.String({ description: 'The unit that its samples have, once they are multiplied.' }),
    ),
  },
  { ...closed, description: 'Where a channel goes.' },
)

const CsvWaveforms = Type.Object(
  {
    delimiter: Type.Optional(
      Type.String({
        minLength: 1,
        default: ',',
        description: 'What stands between columns: a character, `tab`, or `blanks` for any number.',
      }),
    ),
    decimalComma: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether numbers are written as 1,5.' }),
    ),
    headerRow: Type.Optional(
      Type.Integer({
        minimum: 0,
        default: 1,
        description: 'The line that names the columns, the first is 1; 0 when there is none.',
      }),
    ),
    dataRow: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'The line of the first values. Left out: the one after the names.',
      }),
    ),
    columns: Type.Optional(
      Type.Array(name('column', 'A column.'), {
        minItems: 1,
        description: 'The columns of samples. Left out: all but the time.',
      }),
    ),
    time: Type.Optional(
      Type.Object(
        {
          column: name('column', 'The column of the times, by its name or its number.'),
          kind: Type.Union(
            [
              Type.Literal('seconds'),
              Type.Literal('milliseconds'),
              Type.Literal('epochSeconds'),
              Type.Literal('epochMilliseconds'),
              Type.Literal('text'),
            ],
            { description: 'What they are; texts are written YYYY-MM-DD HH:MM:SS.' },
          ),
          tolerance: Type.Optional(
            Type.Number({
              exclusiveMinimum: 0,
              default: 0.25,
              description: 'How far a time may lie from where the rate leads, in sample periods.',
            }),
          ),
        },
        { ...closed, description: 'The times of the rows.' },
      ),
    ),
  },
  { ...closed, description: 'How a CSV file is written.' },
)

/** What `plumbline import` reads files of waveforms by: which channel is which station's. */
export const WaveformMappingFile = Type.Object(
  {
    format: Type.Literal('waveform', { description: 'Files of waveforms.' }),
    file: Type.Optional(
      Type.Union(
        [
          Type.Literal('auto'),
          Type.Literal('miniSEED'),
          Type.Literal('SAC'),
          Type.Literal('UFF58'),
          Type.Literal('CSMIP'),
          Type.Literal('COSMOS'),
          Type.Literal('WAV'),
          Type.Literal('CSV'),
        ],
        { default: 'auto', description: 'Their form; `auto` tells it by the first bytes.' },
      ),
    ),
    channels: Type.Array(Channel, {
      minItems: 1,
      description: 'The channels that are kept, and whose they are. Others are named and left out.',
    }),
    unit: Type.Optional(
      Type.String({ description: 'The unit of every channel, where the file says none.' }),
    ),
    sampleFreq: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, description: 'In Hz, where the file does not say it.' }),
    ),
    start: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The time of the first sample, where the file does not say it.',
      }),
    ),
    offset: Type.Optional(
      Type.String({
        title: 'a fixed offset such as +08:00',
        pattern: '^[+-]([01]\\d|2[0-3]):[0-5]\\d$',
        description:
          'The offset from UTC of times without one. Left out: the time zone of the stations.',
      }),
    ),
    gapTolerance: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        default: 0.5,
        description: 'miniSEED: how far off a record may begin and still go on, in sample periods.',
      }),
    ),
    csv: Type.Optional(CsvWaveforms),
  },
  { ...closed, description: 'A mapping file of Plumbline for waveforms.' },
)

export type WaveformMappingFile = Static<typeof WaveformMappingFile>
