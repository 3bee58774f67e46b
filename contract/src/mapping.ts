import { Type, type Static } from 'typebox'
import { oneOf } from './common.ts'
import { REPLACEMENTS } from './ingest.ts'
import { id, itemKey, uuid } from './site-values.ts'

/** The formats of rows, by their names in a mapping. */
export const ROW_FORMATS = ['csv', 'toa5', 'tob1', 'tob3', 'mixedArray', 'xlsx'] as const

export type RowFormat = (typeof ROW_FORMATS)[number]

const closed = { additionalProperties: false }

const column = (description: string) =>
  Type.Union(
    [
      Type.String({ minLength: 1, title: 'the name of a column' }),
      Type.Integer({ minimum: 1, title: 'its number, the first is 1' }),
    ],
    { description },
  )

const columnNumber = (description: string) => Type.Integer({ minimum: 1, description })

const Time = Type.Object(
  {
    column: Type.Optional(
      Type.Union(
        [
          Type.String({ minLength: 1, title: 'the name of a column' }),
          Type.Integer({ minimum: 1, title: 'its number, the first is 1' }),
          Type.Array(column('A column.'), { minItems: 1, title: 'a list of columns' }),
        ],
        {
          description:
            'The name or number of the column of the time, or a list of columns whose texts are ' +
            'joined by a space.',
        },
      ),
    ),
    format: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The format of the time: YYYY, YY, MM, M, DD, D, DDD (day of the year), HH, H, hh or h with A (AM or ' +
          'PM), mm, m, ss, s, S (a fraction of a second of any length). A part in square ' +
          'brackets is optional. Or `epochSeconds` or `epochMilliseconds`.',
        examples: ['DD.MM.YYYY HH:mm:ss.SSS', 'YYYY-MM-DD HH:mm:ss[.S]', 'epochSeconds'],
      }),
    ),
    year: Type.Optional(columnNumber('Mixed arrays: the number of the column of the year.')),
    dayOfYear: Type.Optional(
      columnNumber('Mixed arrays: the number of the column of the day of the year.'),
    ),
    hourMinute: Type.Optional(
      columnNumber('Mixed arrays: the number of the column of hour and minute, as in 930 or 2400.'),
    ),
    second: Type.Optional(
      columnNumber('Mixed arrays: the number of the column of the second. Default: 0.'),
    ),
  },
  {
    ...closed,
    description:
      'The time of a row: `column` and `format`, or `year`, `dayOfYear` and `hourMinute`. Left out ' +
      'for TOA5 files, which define it.',
  },
)

const quality = (description: string) =>
  Type.String({
    minLength: 1,
    description,
    examples: ['good', 'uncertain: estimated', 'bad', 'BadSensorFailure'],
  })

const Flags = Type.Object(
  {
    column: Type.Optional(
      column(
        'The name or number of the column of flags. Default: flags stand behind the number in the ' +
          'cell of the value, as in 12.3e.',
      ),
    ),
    flags: Type.Optional(
      Type.Record(
        Type.String(),
        quality('Good, uncertain or bad, also with a reason, or a status code of OPC UA.'),
        {
          description:
            "The quality that each flag stands for; '' is that of a value without a flag, otherwise good. " +
            'Default: the column holds qualities, as an export with --quality does.',
          examples: [{ A: 'good', e: 'uncertain: estimated', '-': 'bad' }],
        },
      ),
    ),
    otherwise: Type.Optional(
      quality(
        'The quality of any other flag. Default: a value with a flag that is not named is rejected.',
      ),
    ),
  },
  { ...closed, description: 'Where the quality of the values stands, and what its flags mean.' },
)

const Target = Type.Object(
  {
    column: column('The name or number of the column.'),
    sensor: Type.Optional(uuid('The sensor of the raw value; requires `key`.')),
    key: Type.Optional(itemKey("Key of the sensor's item.")),
    station: Type.Optional(id('The station of the value; requires `item`.')),
    item: Type.Optional(itemKey("Key of the item of the station's factor.")),
    scale: Type.Optional(
      Type.Number({ default: 1, description: 'The factor by which the value is multiplied.' }),
    ),
    unit: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The unit of the value after the multiplication, whatever the header says. It is converted to ' +
          'the unit of the item. Default: the unit in the header of a TOA5 file, without `scale`.',
        examples: ['°F', 'mm', 'psi'],
      }),
    ),
    quality: Type.Optional(Flags),
  },
  { ...closed, description: 'The sensor or station of the values of a column.' },
)

/** A mapping file for rows, which `plumbline import` and watched folders read. */
export const MappingFile = Type.Object(
  {
    format: oneOf(ROW_FORMATS, {
      description:
        '`csv`, `toa5` (Campbell, four header lines), `tob1` or `tob3` (Campbell, binary), `mixedArray` (Campbell), or `xlsx` (a sheet of a workbook).',
    }),
    delimiter: Type.Optional(
      Type.String({
        minLength: 1,
        default: ',',
        description:
          'The separator of columns: a character, `tab`, or `blanks` for any number of spaces and tabs.',
      }),
    ),
    encoding: Type.Optional(
      Type.Union(
        [
          Type.Literal('utf-8'),
          Type.Literal('latin1'),
          Type.Literal('windows-1252'),
          Type.Literal('gbk'),
          Type.Literal('gb18030'),
          Type.Literal('utf-16le'),
          Type.Literal('utf-16be'),
        ],
        { default: 'utf-8', description: 'The character encoding of the file.' },
      ),
    ),
    sheet: Type.Optional(
      Type.Union(
        [
          Type.String({ minLength: 1, title: 'the name of a sheet' }),
          Type.Integer({ minimum: 1, title: 'its number, the first is 1' }),
        ],
        { default: 1, description: 'XLSX: the name or number of the sheet.' },
      ),
    ),
    headerRow: Type.Optional(
      Type.Integer({
        minimum: 0,
        default: 1,
        description: 'CSV and XLSX: the line of the column names, the first is 1; 0 without names.',
      }),
    ),
    skipLines: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'CSV and XLSX: lines before the first record. Default: up to the header row.',
      }),
    ),
    arrayId: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Mixed arrays: the number in the first column of the records to read.',
      }),
    ),
    columnCount: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Without a header: the number of columns of a record. Default: at least the columns of the mapping.',
      }),
    ),
    decimalComma: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether numbers have a decimal comma, as in 1,5.',
      }),
    ),
    time: Type.Optional(Time),
    offset: Type.Optional(
      Type.String({
        title: 'a fixed offset such as +08:00',
        pattern: '^[+-]([01]\\d|2[0-3]):[0-5]\\d$',
        description:
          'The fixed offset of the times from UTC. Default: the time zone of the structure.',
      }),
    ),
    missing: Type.Optional(
      Type.Array(Type.Union([Type.String(), Type.Number()], { description: 'A text.' }), {
        description:
          'Texts that mean no value, besides an empty text. Default: NAN, INF, +INF and -INF in ' +
          'files of Campbell loggers, none in CSV.',
      }),
    ),
    duplicates: Type.Optional(
      Type.Union([Type.Literal('replace'), Type.Literal('refuse')], {
        default: 'replace',
        description:
          'A row with the time of a row shortly before in the same file: `replace` stores it as it would store ' +
          'it over a stored record, `refuse` rejects it.',
      }),
    ),
    replace: Type.Optional(
      oneOf(REPLACEMENTS, {
        default: 'keys',
        description:
          'What a row does to a stored record of its time, whatever that came from. `keys`: the columns with a ' +
          'value replace theirs, and other values stay. `whole`: the row replaces the record, and what it does ' +
          'not have is gone.',
      }),
    ),
    columns: Type.Array(Target, {
      minItems: 1,
      description: 'The columns that are stored. Other columns are skipped.',
    }),
  },
  { ...closed, description: 'A mapping file of Plumbline for rows.' },
)

export type MappingFile = Static<typeof MappingFile>
