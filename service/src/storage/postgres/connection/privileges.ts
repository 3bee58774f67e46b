import type { SqlConnection } from './sql-connection.ts'

/** Sentences about what the role of a connection may not do and needs, and about rights beyond that. */
export async function describePrivileges(
  connection: SqlConnection,
): Promise<{ missing: string[]; excess: string[] }> {
  const { rows } = await connection.query(TABLES)
  const role = String(rows[0]?.['role'])
  const missing = rows.filter(({ may }) => Number(may) !== 1).map(({ name }) => String(name))
  const { rows: rights } = await connection.query(RIGHTS)
  const { superuser, owner, creates } = rights[0] ?? {}
  const excess = [
    ...(Number(superuser) === 1 ? ['is a superuser'] : []),
    ...(Number(owner) === 1 ? ['owns the tables'] : []),
    ...(Number(creates) === 1 ? ['may create tables'] : []),
  ]
  return {
    missing:
      missing.length === 0
        ? []
        : [
            `The role ${role} may not select, insert, update and delete in ${missing.join(', ')}: run docs/postgres/roles.sql again, or grant it.`,
          ],
    excess:
      excess.length === 0
        ? []
        : [
            `The role ${role} ${excess.join(', ')}. A service needs none of it: docs/postgres/roles.sql makes a role with less.`,
          ],
  }
}

/** Views are only read. */
const TABLES = `select current_user::text as role, relname::text as name,
    (has_table_privilege(oid, 'select') and (relkind = 'v' or has_table_privilege(oid, 'insert')
      and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete')))::int as may
  from pg_class where relkind in ('r', 'p', 'v') and relnamespace = current_schema()::regnamespace
    and not exists (select 1 from pg_depend
      where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
  order by relname`

const RIGHTS = `select (select rolsuper from pg_roles where rolname = current_user)::int as superuser,
    coalesce((select pg_has_role(relowner, 'usage') from pg_class where relname = 'schema_version'
      and relnamespace = current_schema()::regnamespace), false)::int as owner,
    has_schema_privilege(current_schema(), 'create')::int as creates`
