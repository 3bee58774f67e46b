import { RefusedError } from '../../../errors/refused-error.ts'
import { oneRow, type SqlConnection } from '../connection/sql-connection.ts'

const OLDEST_VERSION = 15

/** `server_version_num` counts 10,000 for each major version. */
const NUMBERS_OF_VERSION = 10_000

/** Refuses a server or a database on which the tables cannot be what they have to be. */
export async function requireUsable(connection: SqlConnection): Promise<void> {
  const { number, version, encoding, schema, path } = await oneRow(
    connection,
    `select current_setting('server_version_num')::int as number,
      current_setting('server_version') as version,
      current_setting('server_encoding') as encoding,
      current_schema()::text as schema, current_setting('search_path') as path`,
  )
  if (Number(number) < OLDEST_VERSION * NUMBERS_OF_VERSION)
    throw new RefusedError(
      'invalid',
      `The server is PostgreSQL ${String(version)}; Plumbline needs version ${OLDEST_VERSION} or newer.`,
    )
  if (encoding !== 'UTF8')
    throw new RefusedError(
      'invalid',
      `The database has the encoding ${String(encoding)}; Plumbline needs UTF8: create the database with "create database NAME encoding 'UTF8' template template0".`,
    )
  if (schema === null)
    throw new RefusedError(
      'invalid',
      `No schema of the search path exists (search_path is ${String(path)}): create the schema, or change the search path of the role.`,
    )
}
