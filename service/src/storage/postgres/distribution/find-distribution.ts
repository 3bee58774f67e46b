import { RefusedError } from '../../../errors/refused-error.ts'
import { oneRow, type SqlConnection } from '../connection/sql-connection.ts'
import { DISTRIBUTED_TABLES } from './placements.ts'

/** What Citus keeps of the tables of this schema. */
export type Distribution = Readonly<{
  /** The names of the tables that are distributed over workers. */
  distributed: ReadonlySet<string>
  /** The names of the local tables that Citus manages. */
  managed: ReadonlySet<string>
}>

const NONE: Distribution = { distributed: new Set(), managed: new Set() }

export async function findDistribution(connection: SqlConnection): Promise<Distribution> {
  const { citus } = await oneRow(
    connection,
    `select count(*)::int as citus from pg_extension where extname = 'citus'`,
  )
  if (Number(citus) === 0) return NONE
  const { rows } = await connection.query(TABLES)
  const named = (isDistributed: boolean): Set<string> =>
    new Set(
      rows
        .filter(({ method }) => (method === 'h') === isDistributed)
        .map(({ name }) => String(name)),
    )
  return { distributed: named(true), managed: named(false) }
}

/** Rows of the method `h` are spread by a hash; others have one shard. */
const TABLES = `select relname::text as name, partmethod::text as method
  from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
  where relnamespace = current_schema()::regnamespace`

/**
 * Whether the tables are distributed. Refuses a database in which some are and some are not: statements
 * over both kinds would fail.
 */
export async function isDistributed(connection: SqlConnection): Promise<boolean> {
  const { distributed } = await findDistribution(connection)
  if (distributed.size === 0) return false
  const missing = DISTRIBUTED_TABLES.filter(({ name }) => !distributed.has(name))
  if (missing.length === 0) return true
  throw new RefusedError(
    'unavailable',
    `The tables of the database were distributed in part; ${missing.map(({ name }) => name).join(', ')} ${missing.length === 1 ? 'is' : 'are'} not. Run "plumbline storage distribute" again: it goes on where it was interrupted.`,
  )
}
