import type { MappingFile, RowFormat } from '@plumbline/contract/mapping'

type RowFormatTraits = {
  /** Whether its rows are bytes: then no mapping says how they are written as text. */
  isBinary: boolean
  /** Whether columns have names: `byHeaderRow` when the mapping's `headerRow` is not 0. */
  columnNames: 'always' | 'byHeaderRow' | 'never'
  /** Column and format of the time where each file of the format has the same. */
  ownTime: { column: string; format: string } | undefined
  /** The keys of `time` that a mapping needs, in words. */
  timeKeys: string
  /** The texts that mean no value unless the mapping says others. */
  missing: readonly string[]
  /** Keys of a mapping that not every format takes. */
  ownKeys: readonly (keyof MappingFile)[]
}

const CAMPBELL_MISSING = ['NAN', 'INF', '+INF', '-INF']

/** Tables of Campbell loggers. */
const TABLE_TRAITS: RowFormatTraits = {
  isBinary: false,
  columnNames: 'always',
  ownTime: { column: 'TIMESTAMP', format: 'YYYY-MM-DD HH:mm:ss[.S]' },
  timeKeys: 'column and format',
  missing: CAMPBELL_MISSING,
  ownKeys: [],
}

/** What distinguishes the formats of rows in a mapping. */
export const ROW_FORMAT_TRAITS: Readonly<Record<RowFormat, RowFormatTraits>> = {
  csv: {
    isBinary: false,
    columnNames: 'byHeaderRow',
    ownTime: undefined,
    timeKeys: 'column and format',
    missing: [],
    ownKeys: ['headerRow', 'skipLines', 'columnCount'],
  },
  toa5: TABLE_TRAITS,
  tob1: { ...TABLE_TRAITS, isBinary: true },
  tob3: { ...TABLE_TRAITS, isBinary: true },
  xlsx: {
    isBinary: true,
    columnNames: 'byHeaderRow',
    ownTime: undefined,
    timeKeys: 'column, and format where its cells are texts',
    missing: [],
    ownKeys: ['sheet', 'headerRow', 'skipLines', 'columnCount'],
  },
  mixedArray: {
    isBinary: false,
    columnNames: 'never',
    ownTime: undefined,
    timeKeys: 'year, dayOfYear and hourMinute',
    missing: CAMPBELL_MISSING,
    ownKeys: ['arrayId', 'columnCount'],
  },
}

/** Whether a mapping can name its columns. */
export function hasColumnNames({ format, headerRow }: MappingFile): boolean {
  const { columnNames } = ROW_FORMAT_TRAITS[format]
  return columnNames === 'always' || (columnNames === 'byHeaderRow' && headerRow !== 0)
}
