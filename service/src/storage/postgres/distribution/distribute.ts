import { RefusedError } from '../../../errors/refused-error.ts'
import { oneRow, type SqlConnection } from '../connection/sql-connection.ts'
import { holdUse, keepUseAlone } from '../migrations/advisory-locks.ts'
import { planMigration } from '../migrations/migrate.ts'
import { findDistribution } from './find-distribution.ts'
import { MANAGED_FUNCTIONS } from './managed-functions.ts'
import { DISTRIBUTED_TABLES, type DistributedTable } from './placements.ts'

/** What is to be done with a table. */
export type DistributionStep = Readonly<{
  table: string
  /** How its rows are spread; undefined for a local table of the coordinator. */
  column: string | undefined
  statements: readonly string[]
}>

export type DistributionPlan = Readonly<{
  workers: number
  /** The number of shards that the steps make. */
  shards: number
  /** The tables that are not yet what they are to be. */
  steps: readonly DistributionStep[]
}>

/** Each shard costs a batch of many stations time; the cluster can grow to four times its workers. */
const SHARDS_A_WORKER = 4
const MOST_SHARDS = 1024

/** Keeps every other program out for as long as the connection lives; refuses where one is in. */
export async function takeAlone(connection: SqlConnection): Promise<void> {
  if ((await holdUse(connection)) && (await keepUseAlone(connection))) return
  throw new RefusedError(
    'unavailable',
    'Tables are distributed while nothing else uses the database. Stop the service and other commands first.',
  )
}

/** Says what distributing a database over the workers of Citus would do; changes nothing. */
export async function planDistribution(
  connection: SqlConnection,
  { shards: wanted }: { shards?: number | undefined } = {},
): Promise<DistributionPlan> {
  if (wanted !== undefined && (!Number.isInteger(wanted) || wanted < 1 || wanted > MOST_SHARDS))
    throw new RefusedError(
      'invalid',
      `The number of shards must be from 1 to ${MOST_SHARDS}, not ${wanted}.`,
    )
  await requireTables(connection)
  const workers = await requireCluster(connection)
  const shards = wanted ?? Math.min(SHARDS_A_WORKER * workers, MOST_SHARDS)
  const { distributed, managed } = await findDistribution(connection)
  const { rows } = await connection.query(ALL_TABLES)
  const local = rows
    .map(({ name }) => String(name))
    .filter((name) => !DISTRIBUTED_TABLES.some((one) => one.name === name))
  return {
    workers,
    shards,
    steps: [
      ...DISTRIBUTED_TABLES.filter(({ name }) => !distributed.has(name)).map((table) => ({
        table: table.name,
        column: table.column,
        statements: distributing(table, shards),
      })),
      ...local
        .filter((name) => !managed.has(name))
        .map((name) => ({ table: name, column: undefined, statements: managing(name) })),
    ],
  }
}

/**
 * Carries out the steps of a plan, each in a transaction: after an interruption a new plan has the rest.
 * Nothing else may use the database meanwhile.
 */
export async function distribute(
  connection: SqlConnection,
  { steps }: DistributionPlan,
  isStopped: (done: number) => boolean = () => false,
): Promise<number> {
  await inTransaction(connection, MANAGED_FUNCTIONS)
  let done = 0
  for (const { statements } of steps) {
    if (isStopped(done)) break
    await inTransaction(connection, statements)
    done++
  }
  return done
}

async function inTransaction(
  connection: SqlConnection,
  statements: readonly string[],
): Promise<void> {
  await connection.query('begin')
  try {
    // Moving the rows takes as long as it needs.
    await connection.query('set local statement_timeout = 0')
    await connection.query('set local idle_in_transaction_session_timeout = 0')
    await connection.query(`set local client_min_messages = 'warning'`)
    for (const statement of statements) await connection.query(statement)
    await connection.query('commit')
  } catch (error) {
    // The first error is the reason; a connection that has ended is rolled back by the server.
    await connection.query('rollback').catch(() => undefined)
    throw error
  }
}

/** The first table of a column makes the shards with which the others are co-located. */
function distributing({ name, column, primaryKey }: DistributedTable, shards: number): string[] {
  const first = DISTRIBUTED_TABLES.find((one) => one.column === column)?.name ?? name
  const place =
    first === name
      ? `colocate_with => 'none', shard_count => ${shards}`
      : `colocate_with => '${first}'`
  return [
    ...(primaryKey === undefined
      ? []
      : [
          `alter table ${name} drop constraint if exists ${name}_pkey`,
          `alter table ${name} add constraint ${name}_pkey primary key (${primaryKey.join(', ')})`,
        ]),
    `select create_distributed_table('${name}', '${column}', ${place})`,
    `select truncate_local_data_after_distributing_table('${name}')`,
  ]
}

/** Tables that refer to each other become managed together; a step may find its table done. */
const managing = (name: string): string[] => [
  `select citus_add_local_table_to_metadata('${name}', cascade_via_foreign_keys => true)
    where not exists (select 1 from pg_dist_partition where logicalrelid = '${name}'::regclass)`,
]

async function requireTables(connection: SqlConnection): Promise<void> {
  const { from, to } = await planMigration(connection)
  if (from < to)
    throw new RefusedError(
      'absent',
      from === 0
        ? 'The database has no tables of Plumbline yet: run "plumbline migrate" first.'
        : `The database has version ${from}, this program needs ${to}: run "plumbline migrate" first.`,
    )
}

/** The number of workers. Refuses a database that is not the coordinator of a cluster. */
async function requireCluster(connection: SqlConnection): Promise<number> {
  const { database, citus } = await oneRow(
    connection,
    `select current_database()::text as database,
      (select count(*)::int from pg_extension where extname = 'citus') as citus`,
  )
  const name = String(database)
  if (Number(citus) === 0)
    throw new RefusedError(
      'invalid',
      `The database ${name} has no Citus extension: install Citus on the coordinator and the workers, and run "create extension citus" in the database of each (docs/citus.md).`,
    )
  const { workers, coordinator, own } = await oneRow(connection, NODES)
  if (Number(own) !== 0)
    throw new RefusedError(
      'invalid',
      `The storage URL names a worker of Citus: name the coordinator.`,
    )
  if (Number(workers) === 0)
    throw new RefusedError(
      'invalid',
      `The cluster of the database ${name} has no active worker: add one with "select citus_add_node('HOST', 5432)" (docs/citus.md).`,
    )
  if (Number(coordinator) === 0)
    throw new RefusedError(
      'invalid',
      `The coordinator of the database ${name} is not in its own metadata: run "select citus_set_coordinator_host('HOST', 5432)" with its address as the workers reach it (docs/citus.md).`,
    )
  return Number(workers)
}

const NODES = `select
    count(*) filter (where groupid <> 0 and isactive and shouldhaveshards)::int as workers,
    count(*) filter (where groupid = 0)::int as coordinator,
    (select groupid from pg_dist_local_group limit 1) as own
  from pg_dist_node where noderole = 'primary'`

const ALL_TABLES = `select relname::text as name from pg_class
  where relkind = 'r' and relnamespace = current_schema()::regnamespace and not relispartition
    and not exists (select 1 from pg_depend
      where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
    and relname !~ '_[0-9]{6,}$'
  order by relname`
