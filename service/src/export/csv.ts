import { escapeFormula } from '../encodings/formula-text.ts'
import { formatOffsetTime, formatUtc } from '../domain/time/offset-text.ts'
import { timeHeaders, type ExportSource, type Layout } from './layout.ts'
import type { Rows } from './read-rows.ts'

export type CsvStyle = {
  delimiter: string
  /** Whether numbers are written as `1,5`. */
  decimalComma: boolean
  /** Whether a byte order mark comes first, by which spreadsheets know UTF-8. */
  bom: boolean
  /** Whether texts that a spreadsheet could run get an apostrophe. */
  escapesFormulas: boolean
}

/** Yields a CSV file in UTF-8, its header first; absent values are empty. */
export async function* writeCsv(
  layout: Layout,
  style: CsvStyle,
  rows: AsyncIterable<Rows>,
): AsyncGenerator<Uint8Array> {
  const { delimiter } = style
  const headers = [...layout.names, ...timeHeaders(layout.times), ...layout.items]
  const header = headers.map((text) => csvText(text, style)).join(delimiter)
  yield Buffer.from(`${style.bom ? '\uFEFF' : ''}${header}\n`)
  for await (const piece of rows) yield Buffer.from(csvRows(layout, style, piece))
}

function csvRows(layout: Layout, style: CsvStyle, { source, times, values }: Rows): string {
  const { delimiter } = style
  const names = layout.names.length === 0 ? [] : [source.id, source.name]
  const head = names.map((text) => csvText(text, style) + delimiter).join('')
  let text = ''
  for (const [at, instant] of times.entries()) {
    text += head + timeCells(layout, source, instant).join(delimiter)
    for (const value of values[at]!) text += delimiter + csvNumber(value, style)
    text += '\n'
  }
  return text
}

function timeCells({ times }: Layout, { zone }: ExportSource, instant: number): string[] {
  if (times === 'utc') return [formatUtc(instant)]
  const withOffset = formatOffsetTime(instant, zone.spanAt(instant).offset)
  return times === 'offset' ? [withOffset] : [zone.toLocal(instant), withOffset]
}

/** The shortest form that means the same double. */
function csvNumber(value: number | null, { decimalComma }: CsvStyle): string {
  if (value === null) return ''
  const text = String(value)
  return decimalComma ? text.replace('.', ',') : text
}

const csvText = (text: string, { delimiter, escapesFormulas }: CsvStyle): string =>
  csvCell(escapesFormulas ? escapeFormula(text) : text, delimiter)

/** Whatever separates cells for one reader or another is among these. */
const QUOTED = /["\r\n,;|\t]|^\s|\s$/

/** A text in quotes where it could be read as something else without them (RFC 4180). */
export function csvCell(text: string, delimiter: string): string {
  if (!QUOTED.test(text) && !text.includes(delimiter)) return text
  return `"${text.replaceAll('"', '""')}"`
}
