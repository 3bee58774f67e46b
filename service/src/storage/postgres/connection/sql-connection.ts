/** One connection to a database, as of `pg`; a transaction must not run on a pool. */
export interface SqlConnection {
  query(
    sql: string,
    values?: unknown[],
  ): Promise<{ rows: readonly Readonly<Record<string, unknown>>[] }>
}

/** The first row of a query that always has one. */
export async function oneRow(
  connection: SqlConnection,
  sql: string,
  values: unknown[] = [],
): Promise<Readonly<Record<string, unknown>>> {
  const [row] = (await connection.query(sql, values)).rows
  if (row === undefined) throw new Error(`no row: ${sql}`)
  return row
}
