import type { AuditLine } from '@plumbline/contract'
import { escapeFormula } from './formula-text.ts'

const PAGE = 500

const COLUMNS = 'seq,time,kind,who,address,operation,target,outcome,before,after,hash'.split(',')

/** A line of CSV (RFC 4180), of which no spreadsheet takes a field for a formula. */
const formatCsvLine = (fields: readonly string[]): string =>
  `${fields.map((field) => `"${escapeFormula(field).replaceAll('"', '""')}"`).join(',')}\r\n`

/** The lines of the audit log as CSV, newest first, in texts of a page that `list` gives. */
export async function* auditCsv(
  list: (page: { before: number | undefined; limit: number }) => Promise<AuditLine[]>,
): AsyncGenerator<string> {
  yield formatCsvLine(COLUMNS)
  let before: number | undefined
  while (true) {
    const lines = await list({ before, limit: PAGE })
    if (lines.length > 0) yield lines.map((line) => formatCsvLine(fieldsOf(line))).join('')
    if (lines.length < PAGE) return
    before = lines.at(-1)?.seq
  }
}

const fieldsOf = (line: AuditLine): string[] => [
  String(line.seq),
  new Date(line.at).toISOString(),
  line.who.kind,
  line.who.name,
  line.address ?? '',
  line.operation,
  line.target ?? '',
  line.outcome,
  line.before === null ? '' : JSON.stringify(line.before),
  line.after === null ? '' : JSON.stringify(line.after),
  line.hash,
]
