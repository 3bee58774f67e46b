import { describeUnknown } from '../../domain/quality/quality-flags.ts'
import { EXPECTED_QUALITY, parseQuality, showQuality } from '../../domain/quality/quality-text.ts'
import type { Quality } from '../../domain/quality/quality.ts'
import { parseDecimalText } from '../../encodings/decimal-text.ts'
import type { Fields } from '../../encodings/csv/fields.ts'
import { shorten } from '../../errors/show.ts'
import type { RowProblem } from './columns.ts'
import type { ColumnName, Mapping } from './mapping.ts'
import { readCell } from './read-cell.ts'
import { shownColumn, type ReadColumn, type ReadFlags } from './read-columns.ts'

/** A number of a cell; one that is not good with its quality. */
type CellValue = number | { number: number; quality: string }

type NumberOptions = Pick<Mapping, 'missing' | 'decimalComma'>

/** Reads the value of a column with its flags: `null` for no value, or why it cannot be read. */
export function readValue(
  fields: Fields,
  { column, field, quality }: ReadColumn,
  options: NumberOptions,
): CellValue | null | RowProblem {
  const number = readCell(fields, field, options)
  if (number === null) return null
  if (number !== undefined) {
    if (quality === undefined) return number
    const text = quality.field === undefined ? '' : fields.text(quality.field)
    return addQuality(number, text, quality, quality.column ?? column)
  }
  const text = fields.text(field)
  const isBehind = quality !== undefined && quality.field === undefined
  const read = isBehind ? readFlaggedNumber(text.trim(), { column, quality }, options) : undefined
  if (read !== undefined) return read
  return {
    reason: `${placeOf(column)}: ${JSON.stringify(shorten(text, 40))} is not a number${commaHint(text, options)}`,
  }
}

const commaHint = (text: string, { decimalComma }: NumberOptions): string =>
  !decimalComma && /^\s*[+-]?\d+,\d+\s*$/.test(text)
    ? ': expected "decimalComma: true" in the mapping, or a decimal point'
    : ''

/** Reads a number with flags behind it, or flags alone; undefined for other texts. */
function readFlaggedNumber(
  text: string,
  { column, quality }: { column: ColumnName; quality: ReadFlags },
  { missing, decimalComma }: NumberOptions,
): CellValue | null | RowProblem | undefined {
  const [digits = ''] = (decimalComma ? COMMA_NUMBER : POINT_NUMBER).exec(text) ?? []
  const number = parseDecimalText(digits.replace(',', '.'))
  if (number === undefined || !Number.isFinite(number))
    return quality.flags?.areNamed(text) === true ? null : undefined
  const flags = text.slice(digits.length)
  // A date or a number with two points is no number with flags, whatever `otherwise` says.
  if (/^[.,]|\d/.test(flags) && quality.flags?.areNamed(flags) !== true) return undefined
  if (missing.numbers.has(number)) return null
  return addQuality(number, flags, quality, column)
}

const POINT_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/i
const COMMA_NUMBER = /^[+-]?(?:\d+(?:,\d*)?|,\d+)(?:e[+-]?\d+)?/i

function addQuality(
  number: number,
  text: string,
  { flags }: ReadFlags,
  column: ColumnName,
): CellValue | RowProblem {
  const quality = flags === undefined ? readWritten(text) : flags.read(text)
  if ('problem' in quality) return { reason: `${placeOf(column)}: ${quality.problem}` }
  if ('unknown' in quality)
    return { reason: `${placeOf(column)}: ${describeUnknown(quality, 'the mapping')}` }
  return quality.quality === 'good' ? number : { number, quality: showQuality(quality) }
}

/** Reads a quality; none is good. */
function readWritten(text: string): Quality | { problem: string } {
  if (text.trim() === '') return { quality: 'good', reason: '' }
  const found = JSON.stringify(shorten(text, 40))
  return parseQuality(text) ?? { problem: `${found} is no quality, ${EXPECTED_QUALITY}` }
}

const placeOf = (column: ColumnName): string => `column ${shownColumn(column)}`
