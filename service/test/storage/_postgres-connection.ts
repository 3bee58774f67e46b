import { openConnection } from '../../src/storage/postgres/connection/open-connection.ts'
import type { SqlConnection } from '../../src/storage/postgres/connection/sql-connection.ts'

/** A connection as commands open it. */
export const connect = (url: string): Promise<SqlConnection & AsyncDisposable> =>
  openConnection(url, { poolSize: 2, statementTimeoutSeconds: 30 })

/** The rows of a query, each as a list of its values. */
export async function rowsOf(connection: SqlConnection, sql: string): Promise<unknown[][]> {
  return (await connection.query(sql)).rows.map((row) => Object.values(row))
}
