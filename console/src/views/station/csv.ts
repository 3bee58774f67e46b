import { formatLocal } from '../../chart/local-time.ts'

/** Rows of what a chart shows: a column of times, and one for each line. RFC 4180. */
export function writeCsv(
  header: readonly string[],
  times: readonly number[],
  columns: readonly (readonly (number | null | undefined)[])[],
): string {
  const rows = times.map((time, at) =>
    [formatLocal(time), ...columns.map((column) => column[at] ?? '')].join(','),
  )
  return [header.map(quote).join(','), ...rows, ''].join('\r\n')
}

/** A text that a spreadsheet would take as a formula is one no longer. */
function quote(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
