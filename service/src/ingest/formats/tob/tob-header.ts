import { Fields } from '../../../encodings/csv/fields.ts'
import { Line } from '../../../encodings/csv/line.ts'
import { RefusedError } from '../../../errors/refused-error.ts'
import { shorten } from '../../../errors/show.ts'
import { tobField, TOB_TYPES, type TobField } from './tob-types.ts'

export type TobFormat = 'tob1' | 'tob3'

/** The frames of a TOB3 file; times in nanoseconds. */
export type TobFrames = { bytes: number; stamp: number; interval: number; resolution: number }

/** The header of a binary table file of a Campbell logger. */
export type TobHeader = {
  /** The line that names the columns of its rows as text: `TIMESTAMP`, `RECORD` and those of the table. */
  names: string
  fields: readonly TobField[]
  recordBytes: number
  /** TOB1: the index of the column of seconds; that of nanoseconds follows it. */
  secondsAt: number
  /** TOB3 only. */
  frames: TobFrames | undefined
}

export const TOB_HEADER_LINES: Readonly<Record<TobFormat, number>> = { tob1: 5, tob3: 6 }
/** The lines of the names and of the types. */
const NAMES_AT = { tob1: 1, tob3: 2 } as const
const TYPES_AT = { tob1: 4, tob3: 5 } as const

const INTERVAL = /^(\d+(?:\.\d+)?) *(NSEC|USEC|MSEC|SEC|MIN|HR|HOUR|DAY)S?$/i
const UNITS: Readonly<Record<string, number>> = {
  NSEC: 1,
  USEC: 1e3,
  MSEC: 1e6,
  SEC: 1e9,
  MIN: 60e9,
  HR: 3600e9,
  HOUR: 3600e9,
  DAY: 86_400e9,
}
const RESOLUTIONS: Readonly<Record<string, number>> = {
  SECMSEC: 1e6,
  SEC100USEC: 1e5,
  SEC10USEC: 1e4,
  SECUSEC: 1e3,
}

/** Bytes of a frame around its records: header and footer. */
export const FRAME_HEADER_BYTES = 12
export const FRAME_FOOTER_BYTES = 4

/**
 * Reads the header lines of a TOB1 or TOB3 file; throws a `RefusedError` that names the line.
 *
 * Source: Campbell Scientific, LoggerNet manual, appendix B, "TOB1" and "TOB2 or TOB3".
 */
export function readTobHeader(format: TobFormat, lines: readonly string[]): TobHeader {
  const rows = lines.map((text, at) => fieldsOf(text, at + 1))
  const mark = format.toUpperCase()
  const found = rows[0]?.[0] ?? ''
  if (found !== mark) {
    const other = /^TO[A-Z]+\d$/.test(found) ? `; this is a ${found} file` : ''
    throw invalid(1, `a ${mark} file begins with "${mark}" in its first column${other}`)
  }
  const names = rows[NAMES_AT[format]] ?? []
  const types = rows[TYPES_AT[format]] ?? []
  const fields = types.map((type, at) => requireField(type, at, TYPES_AT[format] + 1))
  if (names.length !== fields.length)
    throw invalid(
      TYPES_AT[format] + 1,
      `it has ${fields.length} types for ${names.length} columns, expected one for each`,
    )
  const secondsAt = format === 'tob1' ? requireSeconds(names, types) : -1
  const own = format === 'tob1' ? names.toSpliced(secondsAt, 2) : ['RECORD', ...names]
  return {
    names: ['TIMESTAMP', ...own].map(quoteField).join(),
    fields,
    recordBytes: fields.reduce((sum, { bytes }) => sum + bytes, 0),
    secondsAt,
    frames: format === 'tob1' ? undefined : readFrames(rows[1] ?? [], fields),
  }
}

function fieldsOf(text: string, line: number): string[] {
  const fields = new Fields({ delimiter: ',' }).texts(Line.of(text))
  if (typeof fields === 'string') throw invalid(line, `the header: ${fields}`)
  return fields.map((field) => field.trim())
}

function requireField(type: string, at: number, line: number): TobField {
  const field = tobField(type)
  if (field !== undefined) return field
  throw invalid(
    line,
    `column ${at + 1} has the type "${shorten(type)}", expected one of ${TOB_TYPES.join(', ')}`,
  )
}

function requireSeconds(names: readonly string[], types: readonly string[]): number {
  const at = names.indexOf('SECONDS')
  const isThere = at !== -1 && names[at + 1] === 'NANOSECONDS'
  if (isThere && [types[at], types[at + 1]].every((type) => /^(ULONG|UINT4)$/i.test(type ?? '')))
    return at
  throw invalid(
    2,
    'the table has no columns SECONDS and NANOSECONDS of the type ULONG: its rows have no time',
  )
}

/** Line 2 of TOB3: table, interval, size of a frame, of the table, validation stamp, resolution. */
function readFrames(
  [, interval = '', size = '', , stampText = '', resolutionText = '']: readonly string[],
  fields: readonly TobField[],
): TobFrames {
  const [, count, unit = ''] = INTERVAL.exec(interval) ?? []
  const bytes = Number(size)
  const stamp = Number(stampText)
  const resolution = RESOLUTIONS[resolutionText.toUpperCase()]
  const least =
    FRAME_HEADER_BYTES + FRAME_FOOTER_BYTES + fields.reduce((sum, one) => sum + one.bytes, 0)
  if (count === undefined)
    throw invalid(2, `the interval is "${shorten(interval)}", expected such as "50 MSEC"`)
  if (!Number.isInteger(bytes) || bytes < least || bytes > MOST_FRAME_BYTES)
    throw invalid(
      2,
      `a frame has "${shorten(size)}" bytes, expected ${least} to ${MOST_FRAME_BYTES}`,
    )
  if (!Number.isInteger(stamp) || stamp < 0 || stamp > 0xffff)
    throw invalid(2, `the validation stamp is "${shorten(stampText)}", expected 0 to 65535`)
  if (resolution === undefined)
    throw invalid(
      2,
      `the resolution of frame times is "${shorten(resolutionText)}", expected one of SecMsec, Sec100Usec, Sec10Usec, SecUsec`,
    )
  return { bytes, stamp, interval: Number(count) * (UNITS[unit.toUpperCase()] ?? 0), resolution }
}

const MOST_FRAME_BYTES = 1024 * 1024

const quoteField = (text: string): string => `"${text.replaceAll('"', '""')}"`

const invalid = (line: number, sentence: string): RefusedError =>
  new RefusedError('invalid', `line ${line}: ${sentence}`)
