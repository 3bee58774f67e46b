import { decodeText } from '../../encodings/character-encoding.ts'
import { parseDecimal } from '../../encodings/decimal-bytes.ts'
import { quote, type TextLines } from './text-lines.ts'
import { invalid } from './waveform.ts'

const FORTRAN = { exponents: 'fortran' } as const

/** A line of `perLine` numbers, each right-justified in `width` columns. */
export type ColumnFormat = Readonly<{ perLine: number; width: number }>

/** Parses a Fortran format such as `(8f10.6)` or `(1I8)`; undefined for other texts. */
export function parseColumnFormat(text: string): ColumnFormat | undefined {
  // Blanks have no meaning in a Fortran format, and would make the pattern backtrack.
  const found = /^\(?(?:1p,?)?(\d{0,3})[fegid](\d{1,3})(?:\.\d+)?\)?$/i.exec(
    text.replaceAll(/\s/g, ''),
  )
  if (found === null) return undefined
  const perLine = Number(found[1] || '1')
  const width = Number(found[2])
  return perLine > 0 && width > 0 ? { perLine, width } : undefined
}

/**
 * Reads `count` numbers from the next lines; the last line may be shorter.
 *
 * Refuses fields that are not finite numbers, and lines with fewer or more of them, by line and
 * column. A blank field has the value `blank`; without it blank fields are refused.
 */
export function readColumns(
  lines: TextLines,
  count: number,
  { perLine, width }: ColumnFormat,
  blank = NaN,
): Float64Array {
  if (count > lines.left) {
    throw invalid(
      `line ${lines.number}: ${count} numbers are announced, but only ${lines.left} bytes follow`,
    )
  }
  const values = new Float64Array(count)
  for (let read = 0; read < count;) {
    if (!lines.advance()) {
      throw invalid(
        `line ${lines.number}: the file ends after ${read} of ${count} announced numbers`,
      )
    }
    const { bytes, start, end } = lines
    const expected = Math.min(perLine, count - read)
    for (let column = 0; column < expected; column++) {
      const from = start + column * width
      const to = Math.min(from + width, end)
      if (from >= end && Number.isNaN(blank)) throw tooFew(lines, column, expected)
      let value = from < to ? parseDecimal(bytes, from, to, FORTRAN) : blank
      if (!Number.isFinite(value)) {
        if (isBlank(bytes, from, to)) value = blank
        if (!Number.isFinite(value)) throw noNumber(lines, from, to)
      }
      values[read++] = value
    }
    const rest = start + expected * width
    if (rest < end && !isBlank(bytes, rest, end)) {
      const text = quote(decodeText(bytes.subarray(rest, end)), 20)
      throw invalid(
        `line ${lines.number} continues with ${text}, expected its end after ${expected} numbers`,
      )
    }
  }
  return values
}

const tooFew = ({ number }: TextLines, found: number, expected: number): Error =>
  invalid(`line ${number} has ${found} numbers, expected ${expected}`)

function noNumber({ bytes, number, start }: TextLines, from: number, to: number): Error {
  const text = quote(decodeText(bytes.subarray(from, to)), 30)
  return invalid(`line ${number}, column ${from - start + 1}: ${text}, expected a finite number`)
}

function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] !== 32) return false
  return true
}
