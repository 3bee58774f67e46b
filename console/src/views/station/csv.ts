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

/** The words of the first row; what a summary has of a line is named by the line. */
export type CsvWords = Readonly<{
  time: string
  summaryTime: string
  meanOf: (name: string) => string
  smallestOf: (name: string) => string
  largestOf: (name: string) => string
}>

/**
 * Lines as a table: a row for each time at which one of them has a value. Single records have a column
 * for each line, summaries three: mean, smallest and largest value.
 */
export function csvOfLines(
  lines: readonly CsvLine[],
  { words, isSummary }: { words: CsvWords; isSummary: boolean },
): string {
  const columns = lines.flatMap(({ line: { name, unit }, points }) => {
    const columnOf = (label: string, values: Points['mean']) => ({
      label: `${label} (${unit})`,
      valueAt: new Map(points.times.map((time, at) => [time, values[at]])),
    })
    if (!isSummary) return [columnOf(name, points.mean)]
    return [
      columnOf(words.meanOf(name), points.mean),
      columnOf(words.smallestOf(name), points.low),
      columnOf(words.largestOf(name), points.high),
    ]
  })
  const times = [...new Set(lines.flatMap(({ points }) => points.times))]
    .filter((time) => columns.some(({ valueAt }) => valueAt.get(time) != null))
    .toSorted((a, b) => a - b)
  return writeCsv(
    [isSummary ? words.summaryTime : words.time, ...columns.map(({ label }) => label)],
    times,
    columns.map(({ valueAt }) => times.map((time) => valueAt.get(time))),
  )
}
