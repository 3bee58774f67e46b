import { toParameter } from './prepared.ts'

/** Rows, given as columns, as the text that a COPY takes. */
export function copyText(columns: readonly (readonly unknown[])[]): string {
  const lines: string[] = []
  const count = columns[0]?.length ?? 0
  for (let row = 0; row < count; row++)
    lines.push(columns.map((column) => copyValue(column[row])).join('\t'), '\n')
  return lines.join('')
}

function copyValue(value: unknown): string {
  if (value === null || value === undefined) return '\\N'
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value).toString('hex')}`
  return String(toParameter(value)).replaceAll(SPECIAL, (found) => ESCAPES[found] ?? found)
}

/** A backslash begins an escape, a tab ends a value, and an end of line ends a row. */
const SPECIAL = /[\\\t\n\r]/g

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
}
