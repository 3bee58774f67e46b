import { MappingFile } from '@plumbline/contract/mapping'
import { WaveformMappingFile } from '@plumbline/contract/waveform-mapping'
import { zone, type Zone } from '../../domain/time/local-time.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { readYamlFile } from '../../yaml/read-yaml-file.ts'
import { compileWaveformMapping } from '../waveforms/waveform-mapping.ts'
import type { WaveformFile } from '../waveforms/ingest-waveforms.ts'
import { checkMapping } from './check-mapping.ts'
import type { Delimiter } from '../../encodings/csv/fields.ts'
import type { Encoding } from '../../encodings/character-encoding.ts'
import { EPOCHS, timeFormat, type TimeFormat } from './time-format.ts'

/** A column by its name, or by its number, the first being 1. */
export type ColumnName = string | number

export type TimeSource =
  | { kind: 'text'; columns: readonly ColumnName[]; format: TimeFormat }
  | { kind: 'epoch'; column: ColumnName; milliseconds: number }
  | { kind: 'numbers'; year: number; dayOfYear: number; hourMinute: number; second?: number }

/** A sensor or a station whose values stand in some columns. */
export type Target = {
  kind: 'raw' | 'theme'
  /** The uuid of a sensor, or the id of a station. */
  id: string | number
  columns: readonly { column: ColumnName; key: string; scale: number }[]
}

/** Which column of a file is what, ready to read by. */
export type Mapping = {
  format: 'csv' | 'toa5' | 'mixedArray'
  delimiter: Delimiter
  encoding: Encoding
  /** The line that names the columns; 0 when there is none. */
  headerRow: number
  /** Lines before the first record. */
  skipLines: number
  arrayId: number | undefined
  columnCount: number | undefined
  decimalComma: boolean
  time: TimeSource
  /** The source's own clock; undefined: that of the structure. */
  zone: Zone | undefined
  missing: { texts: ReadonlySet<string>; numbers: ReadonlySet<number> }
  duplicates: 'replace' | 'refuse'
  targets: readonly Target[]
}

/** Column, form and the texts of no value that every Campbell logger writes. */
export const TOA5_TIME = { column: 'TIMESTAMP', format: 'YYYY-MM-DD HH:mm:ss[.S]' }
const CAMPBELL_MISSING = ['NAN', 'INF', '+INF', '-INF']

/** The mapping that a text holds; one with anything wrong in it is refused, naming every place. */
export function readMapping(text: string, fileName: string): Mapping {
  const mapping = readAnyMapping(text, fileName)
  if ('records' in mapping) return mapping.records
  throw new RefusedError(
    'invalid',
    `${fileName}: files of waveforms are read by "plumbline import" only, expected another format`,
  )
}

/** What a file of mappings is for: records of rows, or waveforms. */
export type AnyMapping = { records: Mapping } | { waveforms: WaveformFile }

/** The mapping of records or of waveforms that a text holds, as `readMapping`. */
export function readAnyMapping(text: string, fileName: string): AnyMapping {
  const { value, problems } = readYamlFile(text, fileName, (file) =>
    isOfWaveforms(file) ? WaveformMappingFile : MappingFile,
  )
  if (value.format === 'waveform') return { waveforms: compileWaveformMapping(value) }
  checkMapping(value, problems.report)
  problems.throwIfAny()
  return { records: compile(value) }
}

const isOfWaveforms = (file: unknown): boolean =>
  typeof file === 'object' && file !== null && 'format' in file && file.format === 'waveform'

function compile(file: MappingFile): Mapping {
  const { format, headerRow = 1, missing } = file
  const texts = (missing ?? (format === 'csv' ? [] : CAMPBELL_MISSING)).map((text) =>
    String(text).trim().toUpperCase(),
  )
  return {
    format,
    delimiter: readDelimiter(file.delimiter),
    encoding: file.encoding ?? 'utf-8',
    headerRow,
    skipLines: Math.max(headerRow, file.skipLines ?? 0),
    arrayId: file.arrayId,
    columnCount: file.columnCount,
    decimalComma: file.decimalComma ?? false,
    time: readTimeSource(file),
    zone: file.offset === undefined ? undefined : zone(file.offset),
    missing: {
      texts: new Set(texts),
      numbers: new Set(texts.filter(isNumber).map(Number)),
    },
    duplicates: file.duplicates ?? 'replace',
    targets: gatherTargets(file.columns),
  }
}

const isNumber = (text: string): boolean => text !== '' && Number.isFinite(Number(text))

function readDelimiter(delimiter = ','): Delimiter {
  return delimiter === 'tab' ? '\t' : delimiter
}

function readTimeSource({ time = {} }: MappingFile): TimeSource {
  const { year, dayOfYear, hourMinute, second } = time
  if (year !== undefined && dayOfYear !== undefined && hourMinute !== undefined)
    return {
      kind: 'numbers',
      year,
      dayOfYear,
      hourMinute,
      ...(second === undefined ? {} : { second }),
    }
  const { column = TOA5_TIME.column, format = TOA5_TIME.format } = time
  const columns = Array.isArray(column) ? column : [column]
  const milliseconds = EPOCHS.get(format)
  if (milliseconds !== undefined) return { kind: 'epoch', column: columns[0]!, milliseconds }
  return { kind: 'text', columns, format: timeFormat(format) }
}

/** One target for each sensor and station, in the order of the file. */
function gatherTargets(columns: MappingFile['columns']): Target[] {
  const targets = Map.groupBy(columns, ({ sensor, station }) =>
    sensor === undefined ? station! : sensor.toLowerCase(),
  )
  return Array.from(targets, ([id, ofTarget]) => ({
    kind: typeof id === 'string' ? 'raw' : 'theme',
    id,
    columns: ofTarget.map(({ column, key, item, scale = 1 }) => ({
      column,
      key: (key ?? item)!,
      scale,
    })),
  }))
}
