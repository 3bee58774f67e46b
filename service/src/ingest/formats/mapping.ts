import type { Replacement } from '@plumbline/contract'
import { MappingFile, type RowFormat } from '@plumbline/contract/mapping'
import { WaveformMappingFile } from '@plumbline/contract/waveform-mapping'
import { QualityFlags } from '../../domain/quality/quality-flags.ts'
import { zone, type Zone } from '../../domain/time/local-time.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { readYamlFile } from '../../yaml/read-yaml-file.ts'
import { compileWaveformMapping } from '../waveforms/waveform-mapping.ts'
import type { WaveformFile } from '../waveforms/waveform-file.ts'
import { checkMapping } from './check-mapping.ts'
import type { Delimiter } from '../../encodings/csv/fields.ts'
import type { Encoding } from '../../encodings/character-encoding.ts'
import { ROW_FORMAT_TRAITS } from './row-format-traits.ts'
import { EPOCHS, timeFormat, type TimeFormat } from './time-format.ts'

/** A column by its name, or by its number, the first being 1. */
export type ColumnName = string | number

export type TimeSource =
  | { kind: 'text'; columns: readonly ColumnName[]; format: TimeFormat }
  | { kind: 'epoch'; column: ColumnName; milliseconds: number }
  | { kind: 'numbers'; year: number; dayOfYear: number; hourMinute: number; second?: number }

/**
 * The flags of the values of a column; `column` is undefined where they stand behind the numbers. Without
 * flags the column holds qualities.
 */
export type FlagSource = { column: ColumnName | undefined; flags: QualityFlags | undefined }

/** A column of a target; `unit` is that of its values after `scale`, where the mapping names it. */
export type TargetColumn = {
  column: ColumnName
  key: string
  scale: number | undefined
  unit: string | undefined
  quality: FlagSource | undefined
}

/** A sensor (`raw`) or a station (`theme`) with the columns of its values. */
export type Target = { columns: readonly TargetColumn[] } & (
  { kind: 'raw'; id: string } | { kind: 'theme'; id: number }
)

/** A mapping of rows in the form in which they are read. */
export type Mapping = {
  format: RowFormat
  delimiter: Delimiter
  encoding: Encoding
  /** XLSX: the sheet, by its name or number. */
  sheet: string | number
  /** The line that names the columns; 0 when there is none. */
  headerRow: number
  /** Lines before the first record. */
  skipLines: number
  arrayId: number | undefined
  columnCount: number | undefined
  decimalComma: boolean
  time: TimeSource
  /** The zone of local times; undefined: that of the structure. */
  zone: Zone | undefined
  missing: { texts: ReadonlySet<string>; numbers: ReadonlySet<number> }
  /** What becomes of a row with the time of a row shortly before. */
  duplicates: 'replace' | 'refuse'
  /** What a row does to a stored record of its time. */
  replace: Replacement
  targets: readonly Target[]
}

/** Reads a mapping of rows; throws a `RefusedError` that names every problem with its place. */
export function readMapping(text: string, fileName: string): Mapping {
  const mapping = readAnyMapping(text, fileName)
  if ('records' in mapping) return mapping.records
  throw new RefusedError(
    'invalid',
    `${fileName}: it maps the channels of waveform files, expected a mapping of rows`,
  )
}

/** A mapping of rows or of waveforms. */
export type AnyMapping = { records: Mapping } | { waveforms: WaveformFile }

/** Reads a mapping of rows or of waveforms; throws as `readMapping`. */
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
  const { format, headerRow = 1, missing = ROW_FORMAT_TRAITS[format].missing } = file
  const texts = missing.map((text) => String(text).trim().toUpperCase())
  return {
    format,
    delimiter: readDelimiter(file.delimiter),
    encoding: file.encoding ?? 'utf-8',
    sheet: file.sheet ?? 1,
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
    replace: file.replace ?? 'keys',
    targets: gatherTargets(file.columns),
  }
}

const isNumber = (text: string): boolean => text !== '' && Number.isFinite(Number(text))

function readDelimiter(delimiter = ','): Delimiter {
  return delimiter === 'tab' ? '\t' : delimiter
}

/** The form in which the times of cells come that are numbers. */
const CELL_TIME: Readonly<Partial<Record<RowFormat, string>>> = {
  xlsx: 'YYYY-MM-DD[ HH:mm:ss][.S]',
}

function readTimeSource({ format: rowFormat, time = {} }: MappingFile): TimeSource {
  const { year, dayOfYear, hourMinute, second } = time
  if (year !== undefined && dayOfYear !== undefined && hourMinute !== undefined)
    return {
      kind: 'numbers',
      year,
      dayOfYear,
      hourMinute,
      ...(second === undefined ? {} : { second }),
    }
  const { ownTime } = ROW_FORMAT_TRAITS[rowFormat]
  const { column = ownTime?.column, format = ownTime?.format ?? CELL_TIME[rowFormat] } = time
  const columns = [column].flat().filter((one) => one !== undefined)
  const [first] = columns
  if (first === undefined || format === undefined)
    throw new Error('the time of a mapping has no column or no format, expected a checked mapping')
  const milliseconds = EPOCHS.get(format)
  if (milliseconds !== undefined) return { kind: 'epoch', column: first, milliseconds }
  return { kind: 'text', columns, format: timeFormat(format) }
}

/** One target for each sensor and station, in the order of the file. */
function gatherTargets(columns: MappingFile['columns']): Target[] {
  const targets = new Map<Target['id'], Target & { columns: TargetColumn[] }>()
  for (const { sensor, key, station, item, ...settings } of columns)
    if (sensor !== undefined && key !== undefined) {
      const id = sensor.toLowerCase()
      const target = targets.getOrInsertComputed(id, () => ({ kind: 'raw', id, columns: [] }))
      target.columns.push(compileColumn(settings, key))
    } else if (station !== undefined && item !== undefined) {
      const target = targets.getOrInsertComputed(station, () => ({
        kind: 'theme',
        id: station,
        columns: [],
      }))
      target.columns.push(compileColumn(settings, item))
    }
  return [...targets.values()]
}

function compileColumn(
  { column, scale, unit, quality }: MappingFile['columns'][number],
  key: string,
): TargetColumn {
  return { column, key, scale, unit, quality: quality && compileFlags(quality) }
}

const compileFlags = ({ column, flags, otherwise }: FlagSettings): FlagSource => ({
  column,
  flags: flags && new QualityFlags({ flags, otherwise }),
})

type FlagSettings = NonNullable<MappingFile['columns'][number]['quality']>
