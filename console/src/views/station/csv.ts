import { formatLocal } from '../../chart/local-time.ts'
import type { Points } from './chart-data.ts'

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

type CsvLine = { line: { name: string; unit: string }; points: Points }

/** Lines as a table: a row for each time at which one of them has a value. */
export function csvOfLines(lines: readonly CsvLine[], timeLabel: string): string {
  const valueAt = lines.map(
    ({ points }) => new Map(points.times.map((time, at) => [time, points.mean[at]])),
  )
  const times = [...new Set(lines.flatMap(({ points }) => points.times))]
    .filter((time) => valueAt.some((values) => values.get(time) != null))
    .toSorted((a, b) => a - b)
  return writeCsv(
    [timeLabel, ...lines.map(({ line }) => `${line.name} (${line.unit})`)],
    times,
    valueAt.map((values) => times.map((time) => values.get(time))),
  )
}
