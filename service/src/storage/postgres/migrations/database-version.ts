import { RefusedError } from '../../../errors/refused-error.ts'
import { newerError } from '../../migration.ts'
import { oneRow, type SqlConnection } from '../connection/sql-connection.ts'
import { MIGRATIONS } from './all-migrations.ts'

/** The version of the database that this program reads and writes. */
export const DATABASE_VERSION = MIGRATIONS.length

/** Tables that every Plumbline makes. */
const OWN_TABLES = ['schema_version', 'meta', 'site_entries', 'theme_records']

/** The version of a database; 0 for one without tables. Refuses one of another program. */
export async function readVersion(connection: SqlConnection): Promise<number> {
  const { tables, own, name, schema } = await oneRow(connection, FIND_TABLES, [OWN_TABLES])
  if (Number(tables) === 0) return 0
  if (Number(own) < OWN_TABLES.length)
    throw new RefusedError(
      'invalid',
      `The schema ${String(schema)} of the database ${String(name)} has tables of another program, and none of Plumbline. Choose another database with --storage, or a schema of its own: "alter role ROLE in database ${String(name)} set search_path = SCHEMA".`,
    )
  const { version } = await oneRow(connection, 'select version::int as version from schema_version')
  return Number(version)
}

/** The tables of extensions are nobody's. */
const FIND_TABLES = `select count(*)::int as tables,
    count(*) filter (where relname = any ($1::text[]))::int as own,
    current_database()::text as name, current_schema()::text as schema
  from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
    and not exists (select 1 from pg_depend
      where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')`

/** The version of a database; refuses one that another program or a newer one wrote. */
export async function requireSupported(
  connection: SqlConnection,
  newest: number = DATABASE_VERSION,
): Promise<number> {
  const version = await readVersion(connection)
  if (version > newest) throw newerError(version, newest)
  return version
}
