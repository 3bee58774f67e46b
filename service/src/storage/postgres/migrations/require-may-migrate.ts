import { RefusedError } from '../../../errors/refused-error.ts'
import { oneRow, type SqlConnection } from '../connection/sql-connection.ts'

/** Refuses a role that may not create or change the tables, before it fails half way. */
export async function requireMayMigrate(
  connection: SqlConnection,
  from: number,
  to: number,
): Promise<void> {
  const { role, may } = await oneRow(connection, from === 0 ? MAY_CREATE : MAY_CHANGE)
  if (Number(may) === 1) return
  const [state, act] =
    from === 0
      ? ['has no tables of Plumbline yet', 'create them']
      : [`has version ${from}, this program needs ${to}`, 'change its tables']
  throw new RefusedError(
    'forbidden',
    `The database ${state}, and the role ${String(role)} may not ${act}: run "plumbline migrate --storage URL" with the role that owns the tables (docs/postgres.md).`,
  )
}

const MAY_CREATE = `select current_user::text as role,
  has_schema_privilege(current_schema(), 'create')::int as may`

const MAY_CHANGE = `select current_user::text as role,
    (bool_and(pg_has_role(relowner, 'usage')) and has_schema_privilege(current_schema(), 'create'))::int as may
  from pg_class where relname = 'schema_version' and relnamespace = current_schema()::regnamespace`
