import type { Statement } from '../../sql/statement.ts'

/** How many values a statement has, in whichever form. */
export const countValues = ({ values, columns, rows, width }: Statement): number => {
  if (rows !== undefined) return rows.count * width
  return columns === undefined ? values.length : columns.length * (columns[0]?.length ?? 0)
}

/** What the thread needs of a statement; the values are one row after the other. */
export function toThread(statement: Statement): Statement {
  const { columns, rows } = statement
  if (rows !== undefined) return withValues(statement, valuesOf(rows, 0, rows.count))
  return withValues(statement, columns === undefined ? statement.values : interleave(columns))
}

/** The same with other values. What other engines need of the statement is not copied to the thread. */
export function withValues(
  { sql, width, otherwise, expected, conflict, guards, mustInsert, chunks, ...others }: Statement,
  values: readonly unknown[],
): Statement {
  const { checked, repeated, locks } = others
  const own: Statement = { sql, width, values }
  if (otherwise !== undefined) own.otherwise = otherwise
  if (expected !== undefined) own.expected = expected
  if (conflict !== undefined) own.conflict = conflict
  if (guards !== undefined) own.guards = guards
  if (mustInsert !== undefined) own.mustInsert = mustInsert
  if (chunks !== undefined) own.chunks = chunks
  if (checked !== undefined) own.checked = checked
  if (repeated !== undefined) own.repeated = repeated
  if (locks !== undefined) own.locks = locks
  return own
}

/** The values of a statement, one row after the other, about `most` at a time. */
export function* cutValues(
  { values, columns, rows, width }: Statement,
  most: number,
): Generator<readonly unknown[]> {
  const rowsAtOnce = Math.ceil(most / Math.max(1, width))
  if (rows !== undefined)
    for (let at = 0; at < rows.count; at += rowsAtOnce) yield valuesOf(rows, at, at + rowsAtOnce)
  else if (columns !== undefined)
    for (let at = 0; at < (columns[0]?.length ?? 0); at += rowsAtOnce)
      yield interleave(columns.map((column) => column.slice(at, at + rowsAtOnce)))
  else for (let at = 0; at < values.length; at += most) yield values.slice(at, at + most)
}

function valuesOf(rows: NonNullable<Statement['rows']>, from: number, to: number): unknown[] {
  const values: unknown[] = []
  for (const row of rows.slice(from, to)) for (const value of row) values.push(value)
  return values
}

function interleave(columns: readonly (readonly unknown[])[]): unknown[] {
  const width = columns.length
  const rows = columns[0]?.length ?? 0
  const values = Array.from<unknown>({ length: width * rows })
  for (const [place, column] of columns.entries())
    for (let row = 0; row < rows; row++) values[row * width + place] = column[row]
  return values
}
