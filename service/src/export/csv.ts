import { escapeFormula } from '../encodings/formula-text.ts'
import { formatOffsetTime, formatUtc } from '../domain/time/offset-text.ts'
import { qualityHeader, timeHeaders, type ExportSource, type ExportLayout } from './columns.ts'
import type { ExportRows } from './read-records.ts'

export type CsvStyle = {
  delimiter: string
  /** Whether numbers are written as `1,5`. */
  decimalComma: boolean
  /** Whether the file starts with a byte order mark, by which spreadsheets recognize UTF-8. */
  bom: boolean
  /** Whether texts that a spreadsheet could run as a formula get an apostrophe. */
  escapesFormulas: boolean
}

/** Yields a CSV file in UTF-8, its header first; absent values are empty. */
export async function* writeCsv(
  layout: ExportLayout,
  style: CsvStyle,
  parts: AsyncIterable<ExportRows>,
): AsyncGenerator<Uint8Array> {
  const { delimiter } = style
  const items = layout.hasQuality
    ? layout.items.flatMap((item) => [item, qualityHeader(item)])
    : layout.items
  const headers = [...layout.names, ...timeHeaders(layout.times), ...items]
  const header = headers.map((text) => csvText(text, style)).join(delimiter)
  yield Buffer.from(`${style.bom ? '\uFEFF' : ''}${header}\n`)
  for await (const part of parts) yield Buffer.from(csvRows(layout, style, part))
}

function csvRows(layout: ExportLayout, style: CsvStyle, { source, rows }: ExportRows): string {
  const { delimiter } = style
  const names = layout.names.length === 0 ? [] : [source.id, source.name]
  const head = names.map((text) => csvText(text, style) + delimiter).join('')
  let text = ''
  for (const { time, values, qualities = [] } of rows) {
    text += head + timeCells(layout, source, time).join(delimiter)
    for (const [place, value] of values.entries()) {
      text += delimiter + csvNumber(value, style)
      if (layout.hasQuality) text += delimiter + csvText(qualities[place] ?? '', style)
    }
    text += '\n'
  }
  return text
}

function timeCells({ times }: ExportLayout, { zone }: ExportSource, instant: number): string[] {
  if (times === 'utc') return [formatUtc(instant)]
  const withOffset = formatOffsetTime(instant, zone.spanAt(instant).offset)
  return times === 'offset' ? [withOffset] : [zone.toLocal(instant), withOffset]
}

/** The shortest decimal form of the double. */
function csvNumber(value: number | null, { decimalComma }: CsvStyle): string {
  if (value === null) return ''
  const text = String(value)
  return decimalComma ? text.replace('.', ',') : text
}

const csvText = (text: string, { delimiter, escapesFormulas }: CsvStyle): string =>
  csvCell(escapesFormulas ? escapeFormula(text) : text, delimiter)

/** The characters that separate cells or lines for any reader, and spaces at the ends. */
const QUOTED = /["\r\n,;|\t]|^\s|\s$/

/** A text, in quotes where it could be read as something else without them (RFC 4180). */
function csvCell(text: string, delimiter: string): string {
  if (!QUOTED.test(text) && !text.includes(delimiter)) return text
  return `"${text.replaceAll('"', '""')}"`
}
