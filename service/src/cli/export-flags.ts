import { localDayAt, startOfDate } from '../domain/time/local-day.ts'
import { parseInstant, type Zone } from '../domain/time/local-time.ts'
import type { CsvStyle } from '../export/csv.ts'
import type { TimeStyle } from '../export/columns.ts'
import type { RecordKind } from '../storage/storage.ts'
import { UsageError, type Arguments } from './command.ts'
import { LAST_MILLISECOND } from '../domain/time/wall-clock.ts'

type Flags = Arguments['flags']
type Flag = Flags[string]

export function readKind({ kind = 'theme' }: Flags): RecordKind {
  if (kind === 'theme' || kind === 'raw') return kind
  throw new UsageError('--kind must be theme or raw')
}

export function readTimeStyle({ utc, offset }: Flags): TimeStyle {
  if (utc === true && offset === true) throw new UsageError('Use either --utc or --offset.')
  return utc === true ? 'utc' : offset === true ? 'offset' : 'local'
}

export function readFormat(
  flags: Flags,
): { name: 'csv'; style: CsvStyle } | { name: 'parquet'; style?: never } {
  const name = flags['format']
  if (name === 'csv') return { name, style: readStyle(flags) }
  if (name !== 'parquet') throw new UsageError('export needs --format csv or --format parquet')
  for (const flag of ['delimiter', 'decimal-comma', 'bom', 'csv-formulas'])
    if (flags[flag] !== undefined) throw new UsageError(`--${flag} needs --format csv`)
  return { name }
}

/** Characters that are part of numbers and times, or have a meaning in CSV. */
const NO_DELIMITER = /[\p{L}\p{N}"\r\n.+:[\]-]/u

function readStyle(flags: Flags): CsvStyle {
  const decimalComma = flags['decimal-comma'] === true
  const flag = flags['delimiter'] ?? (decimalComma ? ';' : ',')
  const delimiter = flag === 'tab' ? '\t' : String(flag)
  if ([...delimiter].length !== 1 || delimiter === ' ' || NO_DELIMITER.test(delimiter))
    throw new UsageError('--delimiter must be one character such as ";", or the word tab')
  if (decimalComma && delimiter === ',')
    throw new UsageError('with --decimal-comma the delimiter must not be a comma')
  const formulas = flags['csv-formulas'] ?? 'escape'
  if (formulas !== 'escape' && formulas !== 'keep')
    throw new UsageError('--csv-formulas must be escape or keep')
  const escapesFormulas = formulas === 'escape'
  return { delimiter, decimalComma, bom: flags['bom'] === true, escapesFormulas }
}

/** The first instant of the day or time that a flag gives. */
export function readStart(name: string, flag: Flag, zone: Zone): number {
  const text = requireText(name, flag)
  return startOfDate(text, zone) ?? parseInstant(text, zone) ?? refuse(name, text)
}

/** The last instant of the day or second that a flag gives; a time with a fraction as it is. */
export function readEnd(name: string, flag: Flag, zone: Zone): number {
  const text = requireText(name, flag)
  const day = startOfDate(text, zone)
  if (day !== undefined) return localDayAt(day, zone).until - 1
  const instant = parseInstant(text, zone) ?? refuse(name, text)
  return text.includes('.') ? instant : instant + LAST_MILLISECOND
}

function requireText(name: string, flag: Flag): string {
  if (typeof flag === 'string') return flag
  throw new UsageError(`export needs ${name} with a time`)
}

function refuse(name: string, text: string): never {
  throw new UsageError(
    `${name} ${JSON.stringify(text)} is not a valid time; expected 2026-03-01, "2026-03-01 08:00:00" or 2026-03-01T08:00:00+08:00`,
  )
}
