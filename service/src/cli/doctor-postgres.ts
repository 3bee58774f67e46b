import type { Config } from '../config/settings.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { readConnectionSettings } from '../startup/storage-settings.ts'
import { describePending, isServable } from '../storage/migration.ts'
import { describeRoom } from '../storage/postgres/connection/connection-room.ts'
import { describeChecksums, describeDurability } from '../storage/postgres/connection/durability.ts'
import { openConnection } from '../storage/postgres/connection/open-connection.ts'
import { describeExcess, findMissingRights } from '../storage/postgres/connection/privileges.ts'
import { oneRow } from '../storage/postgres/connection/sql-connection.ts'
import { describeUrl } from '../storage/postgres/connection/storage-url.ts'
import { MIGRATIONS } from '../storage/postgres/migrations/all-migrations.ts'
import { planMigration } from '../storage/postgres/migrations/migrate.ts'
import { workerCount } from '../startup/worker-count.ts'

/** What the doctor says about a server and the rights of the service there. */
export type ServerReport = {
  url: string
  /** The version of PostgreSQL. */
  server: string
  /** The version of the tables. */
  version: number
  /** Whether the connection is encrypted. */
  isEncrypted: boolean
  /** Settings with which acknowledged records may be lost. */
  warnings: string[]
  /** What could be better. */
  notes: string[]
}

/** Checks the connection, the server, the version of the tables and the rights of the role. */
export async function inspectServer(config: Config): Promise<ServerReport> {
  const url = config['storage.url']
  await using connection = await openConnection(url, await readConnectionSettings(config))
  const { from, to } = await planMigration(connection)
  if (!isServable(from, MIGRATIONS))
    throw new RefusedError(
      'unavailable',
      `The database ${describeUrl(url)} ${from === 0 ? 'has no tables of Plumbline' : `has version ${from}, this program needs ${to}`}: run "plumbline migrate".`,
    )
  const missing = await findMissingRights(connection)
  if (missing !== undefined) throw new RefusedError('forbidden', missing.sentence)
  const { server, tls } = await oneRow(
    connection,
    `select current_setting('server_version') as server,
      coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false)::int as tls`,
  )
  return {
    url: describeUrl(url),
    server: String(server),
    version: from,
    isEncrypted: Number(tls) === 1,
    warnings: await describeDurability(connection),
    notes: [
      ...(from < to ? [describePending(from, to)] : []),
      ...(await describeRoom(connection, config['storage.poolSize'] * workerCount(config))),
      ...(await describeChecksums(connection)),
      ...(await describeExcess(connection)),
    ],
  }
}

export const describeServer = ({
  url,
  server,
  version,
  isEncrypted,
  warnings,
  notes,
}: ServerReport): string[] => [
  `Connected to ${url}: PostgreSQL ${server}, ${isEncrypted ? 'encrypted' : 'not encrypted'}, tables of version ${version}.`,
  ...warnings,
  ...notes,
]
