import { randomBytes } from 'node:crypto'
import { openConnection } from '../../src/storage/postgres/connection/open-connection.ts'
import { distribute, planDistribution } from '../../src/storage/postgres/distribution/distribute.ts'
import { migrate } from '../../src/storage/postgres/migrations/migrate.ts'
import type { CitusCluster } from '../_citus.ts'
import { withClient } from '../postgres/_client.ts'

export const CONNECTIONS = { poolSize: 10, statementTimeoutSeconds: 60 }

/** Few shards, on both workers, so that a test does not wait for the making of many. */
const SHARDS = 4

/** The address of an empty schema with the tables of Plumbline. */
export async function newTables({ url }: Pick<CitusCluster, 'url'>): Promise<string> {
  const schema = `test_${randomBytes(6).toString('hex')}`
  await withClient({ connectionString: url }, (client) => client.query(`create schema ${schema}`))
  const own = `${url}?options=${encodeURIComponent(`-c search_path=${schema}`)}`
  await using connection = await openConnection(own, CONNECTIONS)
  await migrate(connection, { migrating: 'allow' })
  return own
}

/** Distributes the tables of an address; without a number of shards over as many as the command makes. */
export async function distributeTables(url: string, of: { shards?: number } = {}): Promise<void> {
  await using connection = await openConnection(url, CONNECTIONS)
  await distribute(connection, await planDistribution(connection, of))
}

/** The address of an empty schema whose tables are distributed. */
export async function newDistributedTables(cluster: Pick<CitusCluster, 'url'>): Promise<string> {
  const url = await newTables(cluster)
  await distributeTables(url, { shards: SHARDS })
  return url
}

/** Makes tables as empty as new ones; far faster than to distribute others. */
export async function emptyTables(url: string): Promise<void> {
  await using connection = await openConnection(url, CONNECTIONS)
  const { rows } = await connection.query(`select relname::text as name
    from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
    where relnamespace = current_schema()::regnamespace and relname <> 'schema_version'`)
  await connection.query(
    `truncate ${rows.map(({ name }) => String(name)).join(', ')} restart identity`,
  )
  await connection.query(`insert into meta (key, value) values ('site_version', 0)`)
}
