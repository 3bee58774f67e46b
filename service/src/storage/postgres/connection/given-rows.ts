import type { SetStatement, Statement } from '../../sql/statement.ts'

/** The rows of a statement as one array for each column. */
export type GivenRows = {
  columns: readonly (readonly unknown[])[]
  count: number
  /** Rows that were left out, since a later one has the same key. */
  repeated: number
}

/** The values of a statement as columns, for a statement that takes all rows at once. */
export function givenRows(statement: Statement, { key }: SetStatement): GivenRows {
  const columns = columnsOf(statement)
  const count = columns[0]?.length ?? 0
  if (key === undefined) return { columns, count, repeated: 0 }
  const last = new Map<string, number>()
  const keys = columns.slice(0, key)
  for (let row = 0; row < count; row++) last.set(keys.map((column) => column[row]).join(' '), row)
  if (last.size === count) return { columns, count, repeated: 0 }
  const kept = [...last.values()]
  return {
    columns: columns.map((column) => kept.map((row) => column[row])),
    count: kept.length,
    repeated: count - kept.length,
  }
}

/** The values of a statement as columns. */
export function columnsOf({
  values,
  columns,
  rows,
  width,
}: Statement): readonly (readonly unknown[])[] {
  if (columns !== undefined) return columns
  const all = rows === undefined ? values : rows.slice(0, rows.count).flat()
  return Array.from({ length: width }, (_, column) => {
    const own: unknown[] = []
    for (let at = column; at < all.length; at += width) own.push(all[at])
    return own
  })
}

/** The text of a set statement, with the rows as arrays. */
export const givenAsArrays = ({ sql, types }: SetStatement): string =>
  sql.replaceAll(
    '@given',
    `unnest(${types.map((type, at) => `$${at + 1}::${type}[]`).join(', ')})
      with ordinality as given(${types.map((_, at) => `c${at + 1}, `).join('')}at)`,
  )

/** The rows of a statement, one after the other. */
export function* eachRow({
  values,
  columns,
  rows,
  width,
}: Statement): Generator<readonly unknown[]> {
  if (rows !== undefined) yield* rows.slice(0, rows.count)
  else if (columns !== undefined)
    for (let row = 0; row < (columns[0]?.length ?? 0); row++)
      yield columns.map((column) => column[row])
  else if (width === 0) yield []
  else for (let at = 0; at < values.length; at += width) yield values.slice(at, at + width)
}

export const countRows = ({ values, columns, rows, width, chunks }: Statement): number => {
  if (chunks !== undefined) return chunks.checksums.length
  if (rows !== undefined) return rows.count
  if (columns !== undefined) return columns[0]?.length ?? 0
  return width === 0 ? 1 : values.length / width
}
