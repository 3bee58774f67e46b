import type { SqlConnection } from './sql-connection.ts'

/** The rights that the role of a service needs in each table, with their words in a sentence. */
const RIGHTS = {
  select: 'select in',
  insert: 'insert in',
  update: 'update in',
  delete: 'delete in',
} as const

type Right = keyof typeof RIGHTS

/** Rights that the role of a connection needs and has not. */
export type MissingRights = {
  sentence: string
  /** Whether some tables cannot even be read. */
  preventReading: boolean
}

/** Finds out what the role of a connection may not do and needs; `undefined` where it may do all. */
export async function findMissingRights(
  connection: SqlConnection,
): Promise<MissingRights | undefined> {
  const { rows } = await connection.query(MISSING)
  const tablesOf = (right: Right): string[] =>
    rows.filter((row) => row['right'] === right).map(({ name }) => String(name))
  const parts = (Object.keys(RIGHTS) as Right[]).flatMap((right) => {
    const tables = tablesOf(right)
    return tables.length === 0 ? [] : [`${RIGHTS[right]} ${tables.join(', ')}`]
  })
  if (parts.length === 0) return undefined
  return {
    sentence: `The role ${String(rows[0]?.['role'])} may not ${parts.join(', and not ')}: run docs/postgres/roles.sql again, or grant it.`,
    preventReading: tablesOf('select').length > 0,
  }
}

/** A sentence about rights of the role of a connection that a service does not need. */
export async function describeExcess(connection: SqlConnection): Promise<string[]> {
  const { rows } = await connection.query(EXCESS)
  const { role, superuser, owner, creates } = rows[0] ?? {}
  const excess = [
    ...(Number(superuser) === 1 ? ['is a superuser'] : []),
    ...(Number(owner) === 1 ? ['owns the tables'] : []),
    ...(Number(creates) === 1 ? ['may create tables'] : []),
  ]
  if (excess.length === 0) return []
  return [
    `The role ${String(role)} ${excess.join(', ')}. A service needs none of it: docs/postgres/roles.sql makes a role with less.`,
  ]
}

/** Views are only read. Tables of another owner are those of other programs. */
const MISSING = `select current_user::text as role, relname::text as name, "right"
  from pg_class cross join unnest(array['${Object.keys(RIGHTS).join(`', '`)}']) as "right"
  where relkind in ('r', 'p', 'v') and relnamespace = current_schema()::regnamespace
    and (relkind <> 'v' or "right" = 'select')
    and not has_table_privilege(oid, "right")
    and relowner = (select relowner from pg_class
      where relname = 'schema_version' and relnamespace = current_schema()::regnamespace)
    and not exists (select 1 from pg_depend
      where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
  order by relname`

const EXCESS = `select current_user::text as role,
    (select rolsuper from pg_roles where rolname = current_user)::int as superuser,
    coalesce((select pg_has_role(relowner, 'usage') from pg_class where relname = 'schema_version'
      and relnamespace = current_schema()::regnamespace), false)::int as owner,
    has_schema_privilege(current_schema(), 'create')::int as creates`
