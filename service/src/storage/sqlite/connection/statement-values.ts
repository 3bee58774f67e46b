import type { Statement } from '../../sql/statement.ts'

/** How many values a statement has, in whichever form. */
export const countValues = ({ values, columns, rows, width }: Statement): number => {
  if (rows !== undefined) return rows.count * width
  return columns === undefined ? values.length : columns.length * (columns[0]?.length ?? 0)
}

/** The same statement with its values one row after the other. */
export function inRows(statement: Statement): Statement {
  const { columns, rows, ...others } = statement
  if (rows !== undefined) return { ...others, values: valuesOf(rows, 0, rows.count) }
  return columns === undefined ? statement : { ...others, values: interleave(columns) }
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
