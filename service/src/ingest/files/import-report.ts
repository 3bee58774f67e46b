import type { RejectedRow } from '../formats/records.ts'

/** What was wrong with some lines, and the first of them. */
export type RejectedGroup = { reason: string; count: number; lines: number[] }

/** What became of a file, or of several. */
export type ImportReport = {
  rows: number
  values: number
  /** Records that are stored, and those of them that took the place of an earlier one. */
  stored: number
  replaced: number
  withoutValue: number
  doubled: { count: number; lines: number[] }
  refused: { rows: number; groups: Map<string, RejectedGroup> }
  /** NUL bytes before lines and at the end, which are no data. */
  nulBytes: number
}

const FIRST_LINES = 5
const MOST_GROUPS = 50
const OTHERS = 'other reasons'

export const emptyReport = (): ImportReport => ({
  rows: 0,
  values: 0,
  stored: 0,
  replaced: 0,
  withoutValue: 0,
  doubled: { count: 0, lines: [] },
  refused: { rows: 0, groups: new Map() },
  nulBytes: 0,
})

export function addDoubled({ doubled }: ImportReport, lines: readonly number[]): void {
  doubled.count += lines.length
  addFirst(doubled.lines, lines)
}

/** Counts refused lines by what is wrong with them; memory does not grow with their number. */
export function addRejected(report: ImportReport, refused: readonly RejectedRow[]): void {
  const { groups } = report.refused
  report.refused.rows += new Set(refused.map(({ line }) => line)).size
  for (const { line, reason } of refused)
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

/** The reason without the text that was found: every row would be a kind of its own. */
const kindOf = (reason: string): string =>
  reason
    .replace(/(holds|its time) ("(?:[^"\\]|\\.)*"|[\d., -]+)/, '$1')
    .replace(/^time [\d :-]{19} lies .*/, 'time lies ahead')

/** The summary of a file in sentences. */
export function describeReport(report: ImportReport, isDry: boolean): string[] {
  const { rows, values, stored, replaced, withoutValue, doubled, refused, nulBytes } = report
  const would = isDry ? 'would be' : stored === 1 ? 'was' : 'were'
  const lines = [
    `${count(rows, 'row')} read, ${count(values, 'value')} in them; ` +
      `${count(stored, 'record')} ${would} stored` +
      (replaced > 0 ? `, ${replaced.toLocaleString('en')} of them in place of earlier ones.` : '.'),
  ]
  if (withoutValue > 0) lines.push(`${count(withoutValue, 'row')} without any value.`)
  if (doubled.count > 0)
    lines.push(
      `${count(doubled.count, 'row')} with the time of a row before: ${places(doubled.count, doubled.lines)}.`,
    )
  if (nulBytes > 0)
    lines.push(`${count(nulBytes, 'NUL byte')} left out: space that was reserved and not written.`)
  if (refused.rows > 0) {
    lines.push(`${count(refused.rows, 'row')} refused, as a whole or in part:`)
    for (const group of refused.groups.values())
      lines.push(
        `  ${group.count.toLocaleString('en')} x ${group.reason} (${places(group.count, group.lines)})`,
      )
  }
  return lines
}

const count = (number: number, what: string): string =>
  `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`

const places = (of: number, lines: readonly number[]): string =>
  `${of === 1 ? 'line' : 'lines'} ${lines.join(', ')}${of > lines.length ? ', …' : ''}`
