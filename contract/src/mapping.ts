import { Type, type Static } from 'typebox'
import { id, itemKey, uuid } from './site-values.ts'

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
            'The column of the time, by its name or its number, or a list of columns whose texts ' +
            'are joined by a blank.',
        },
      ),
    ),
    format: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Its form: YYYY, YY, MM, M, DD, D, DDD (day of the year), HH, H, hh or h with A (AM or ' +
          'PM), mm, m, ss, s, S (a fraction of a second of any length); what stands in square ' +
          'brackets may be missing. Or `epochSeconds` or `epochMilliseconds`.',
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
      columnNumber('Mixed arrays: the number of the column of the second. Left out: 0.'),
    ),
  },
  {
    ...closed,
    description:
      'Where the time stands: `column` and `format`, or `year`, `dayOfYear` and `hourMinute`. ' +
      'Left out in TOA5 files, which say it themselves.',
  },
)

const Target = Type.Object(
  {
    column: column('The column, by its name or its number.'),
    sensor: Type.Optional(uuid('The sensor whose raw value it is; goes with `key`.')),
    key: Type.Optional(itemKey("Key of the sensor's item.")),
    station: Type.Optional(id('The station whose value it is; goes with `item`.')),
    item: Type.Optional(itemKey("Key of the item of the station's factor.")),
    scale: Type.Optional(
      Type.Number({ default: 1, description: 'What the value is multiplied by.' }),
    ),
  },
  { ...closed, description: 'Where the values of a column go.' },
)

/** What `plumbline import` and watched folders read: which column of a file is what. */
export const MappingFile = Type.Object(
  {
    format: Type.Union([Type.Literal('csv'), Type.Literal('toa5'), Type.Literal('mixedArray')], {
      description: '`csv`, `toa5` (Campbell, four header lines) or `mixedArray` (Campbell).',
    }),
    delimiter: Type.Optional(
      Type.String({
        minLength: 1,
        default: ',',
        description: 'What stands between columns: a character, `tab`, or `blanks` for any number.',
      }),
    ),
    encoding: Type.Optional(
      Type.Union(
        [
          Type.Literal('utf-8'),
          Type.Literal('latin1'),
          Type.Literal('windows-1252'),
          Type.Literal('utf-16le'),
          Type.Literal('utf-16be'),
        ],
        { default: 'utf-8', description: 'How the file writes characters.' },
      ),
    ),
    headerRow: Type.Optional(
      Type.Integer({
        minimum: 0,
        default: 1,
        description: 'CSV: the line that names the columns, the first is 1; 0 when there is none.',
      }),
    ),
    skipLines: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'CSV: lines before the first record. Left out: up to the header row.',
      }),
    ),
    arrayId: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Mixed arrays: the number in the first column of the records to be read.',
      }),
    ),
    columnCount: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Without a header: how many columns a record has. Left out: at least those named here.',
      }),
    ),
    decimalComma: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether numbers are written as 1,5.' }),
    ),
    time: Type.Optional(Time),
    offset: Type.Optional(
      Type.String({
        title: 'a fixed offset such as +08:00',
        pattern: '^[+-]([01]\\d|2[0-3]):[0-5]\\d$',
        description:
          "The source's own offset from UTC, all year. Left out: the time zone of the structure.",
      }),
    ),
    missing: Type.Optional(
      Type.Array(Type.Union([Type.String(), Type.Number()], { description: 'A text.' }), {
        description:
          'Texts that mean there is no value, as an empty one always does. Left out: NAN, INF, ' +
          '+INF and -INF in files of Campbell loggers, none in CSV.',
      }),
    ),
    duplicates: Type.Optional(
      Type.Union([Type.Literal('replace'), Type.Literal('refuse')], {
        default: 'replace',
        description:
          'Of two rows of one time, whether the later one replaces the earlier or is refused.',
      }),
    ),
    columns: Type.Array(Target, {
      minItems: 1,
      description: 'The columns that are kept, and what they are. Other columns are passed over.',
    }),
  },
  { ...closed, description: 'A mapping file of Plumbline.' },
)

export type MappingFile = Static<typeof MappingFile>
