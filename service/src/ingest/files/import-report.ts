import type { RejectedRow } from '../formats/records.ts'
import type { AmbiguousHour } from '../../domain/time/logger-clock.ts'
import { countOf } from '../../errors/show.ts'
import {
  AMBIGUOUS_HINT,
  describeAmbiguousHour,
  SKIPPED_HINT,
  UNDO_HINT,
} from '../formats/odd-hours.ts'

/** A reason for rejected rows, their number, and the first lines. */
type RejectedGroup = { reason: string; count: number; lines: number[] }

/** The result of importing one or more files. */
export type ImportReport = {
  rows: number
  values: number
  /** Stored records, and those of them that replaced an earlier one. */
  stored: number
  replaced: number
  withoutValue: number
  doubled: { count: number; lines: number[] }
  rejected: { rows: number; groups: Map<string, RejectedGroup> }
  /** NUL bytes before lines and at the end, which are not data. */
  nulBytes: number
  /** Rows with a local time that their zone skips. */
  skipped: number
  /** Hours that a zone repeats, with rows of which the pass is not known; and the first of them. */
  ambiguous: { count: number; first: AmbiguousHour[] }
}

const FIRST_LINES = 5
const MOST_GROUPS = 50
const MOST_HOURS = 20
const OTHERS = 'other reasons'

export const emptyReport = (): ImportReport => ({
  rows: 0,
  values: 0,
  stored: 0,
  replaced: 0,
  withoutValue: 0,
  doubled: { count: 0, lines: [] },
  rejected: { rows: 0, groups: new Map() },
  nulBytes: 0,
  skipped: 0,
  ambiguous: { count: 0, first: [] },
})

export function addAmbiguous({ ambiguous }: ImportReport, hours: readonly AmbiguousHour[]): void {
  ambiguous.count += hours.length
  ambiguous.first.push(...hours.slice(0, MOST_HOURS - ambiguous.first.length))
}

export function addDoubled({ doubled }: ImportReport, lines: readonly number[]): void {
  doubled.count += lines.length
  addFirst(doubled.lines, lines)
}

/** Counts rejected rows by their reason; memory does not grow with their number. */
export function addRejected(report: ImportReport, rows: readonly RejectedRow[]): void {
  const { groups } = report.rejected
  report.rejected.rows += new Set(rows.map(({ line }) => line)).size
  for (const { line, reason } of rows)
    for (const part of reason.split('; ')) {
      const kind = kindOf(part)
      const key = groups.has(kind) || groups.size < MOST_GROUPS ? kind : OTHERS
      const group = groups.get(key) ?? { reason: key === kind ? part : OTHERS, count: 0, lines: [] }
      groups.set(key, group)
      group.count++
      addFirst(group.lines, [line.number])
    }
}

function addFirst(lines: number[], further: readonly number[]): void {
  for (const line of further) {
    if (lines.length >= FIRST_LINES) return
    if (lines.at(-1) !== line) lines.push(line)
  }
}

/** The reason without the text of the row, which is different in each row. */
const kindOf = (reason: string): string =>
  reason
    .replace(/^(column (?:"(?:[^"\\]|\\.)*"|\d+):) "(?:[^"\\]|\\.)*"/, '$1')
    .replace(/^((?:its )?time) "(?:[^"\\]|\\.)*"/, '$1')
    .replace(/^(its time) [\d., -]+/, '$1')
    .replace(/^time [\d :-]{19} is more than one day ahead .*/, 'time is ahead')

/** The summary of a file in sentences. */
export function describeReport(report: ImportReport, isDry: boolean): string[] {
  const { rows, values, stored, replaced, withoutValue, doubled, rejected, nulBytes } = report
  const would = isDry ? 'would be' : stored === 1 ? 'was' : 'were'
  const lines = [
    `${countOf(rows, 'row')} read, ${countOf(values, 'value')} in them; ` +
      `${countOf(stored, 'record')} ${would} stored` +
      (replaced > 0 && !isDry
        ? `, ${replaced.toLocaleString('en')} of them where one was stored.`
        : '.'),
  ]
  if (withoutValue > 0) lines.push(`${countOf(withoutValue, 'row')} without any value.`)
  if (doubled.count > 0)
    lines.push(
      `${countOf(doubled.count, 'row')} ${doubled.count === 1 ? 'has' : 'have'} the same time as an earlier row: ${places(doubled.count, doubled.lines)}.`,
    )
  if (nulBytes > 0)
    lines.push(`${countOf(nulBytes, 'byte')} left out: space that was reserved and not written.`)
  lines.push(...describeAmbiguous(report))
  if (rejected.rows > 0) {
    lines.push(`${countOf(rejected.rows, 'row')} rejected, in whole or in part:`)
    for (const group of rejected.groups.values())
      lines.push(
        `  ${group.count.toLocaleString('en')} x ${group.reason} (${places(group.count, group.lines)})`,
      )
  }
  if (report.skipped > 0) lines.push(isDry ? SKIPPED_HINT : `${SKIPPED_HINT} ${UNDO_HINT}`)
  return lines
}

function describeAmbiguous({ ambiguous: { count, first } }: ImportReport): string[] {
  if (count === 0) return []
  const others = count - first.length
  return [
    ...first.map((hour) => `${describeAmbiguousHour(hour)}.`),
    ...(others > 0 ? [`${countOf(others, 'more hour')} of which the pass is not known.`] : []),
    AMBIGUOUS_HINT,
  ]
}

const places = (of: number, lines: readonly number[]): string =>
  `${of === 1 ? 'line' : 'lines'} ${lines.join(', ')}${of > lines.length ? ', …' : ''}`
