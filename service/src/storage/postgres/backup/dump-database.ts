import { RefusedError } from '../../../errors/refused-error.ts'
import type { ConnectionSettings } from '../connection/connection-settings.ts'
import { openConnection } from '../connection/open-connection.ts'
import { oneRow, type SqlConnection } from '../connection/sql-connection.ts'
import { describeUrl, readStorageUrl } from '../connection/storage-url.ts'
import { findDistribution } from '../distribution/find-distribution.ts'
import { readVersion } from '../migrations/database-version.ts'
import { connectionVariables, requireTool, runTool } from './run-tool.ts'

type Dump = {
  url: string
  settings: ConnectionSettings
  /** The environment of the tools, to which the connection is added. */
  environment: Readonly<Record<string, string | undefined>>
  file: string
  signal: AbortSignal
  now(): number
}

export type DumpedDatabase = {
  version: number
  instant: number
  rows: Record<string, number>
  records: { theme: number; raw: number }
}

/** Dumps a database by `pg_dump`, and counts its rows in the same snapshot. */
export async function dumpDatabase(dump: Dump): Promise<DumpedDatabase> {
  const { url, settings, file, signal, now } = dump
  const tool = { environment: toolEnvironment(dump), signal }
  await using connection = await openConnection(url, settings)
  await requireTool('pg_dump', await serverVersion(connection), tool)
  const { distributed } = await findDistribution(connection)
  if (distributed.size > 0)
    throw new RefusedError(
      'unavailable',
      'The tables are distributed over workers of Citus, of which pg_dump makes no consistent copy. Back up all machines at one restore point (docs/citus.md).',
    )
  await connection.query('begin isolation level repeatable read read only')
  const { snapshot } = await oneRow(connection, 'select pg_export_snapshot() as snapshot')
  const instant = now()
  const version = await readVersion(connection)
  const dumping = runTool(
    'pg_dump',
    ['--format=custom', '--no-password', `--snapshot=${String(snapshot)}`, `--file=${file}`],
    tool,
  )
  dumping.catch(() => undefined)
  const rows = await countTables(connection)
  const records = await countRecords(connection)
  await dumping
  await connection.query('commit')
  return { version, instant, rows, records }
}

/** Restores a dump into a database without tables. */
export async function restoreDump(
  restore: Omit<Dump, 'now'>,
  { records, version }: Pick<DumpedDatabase, 'records' | 'version'>,
): Promise<void> {
  const { url, settings, file, signal } = restore
  const tool = { environment: toolEnvironment(restore), signal }
  await using connection = await openConnection(url, settings)
  await requireTool('pg_restore', await serverVersion(connection), tool)
  await requireNoTables(connection, url)
  const { database } = readStorageUrl(url)
  const flags = ['--no-owner', '--no-privileges', '--no-password', '--exit-on-error']
  await runTool(
    'pg_restore',
    [...flags, '--single-transaction', `--dbname=${database}`, file],
    tool,
  )
  const restored = await countRecords(connection)
  const isSame = restored.theme === records.theme && restored.raw === records.raw
  if (!isSame || (await readVersion(connection)) !== version)
    throw new RefusedError(
      'unavailable',
      `The restored database has ${restored.theme} and ${restored.raw} records instead of ${records.theme} and ${records.raw}. Empty it, and choose another backup.`,
    )
}

/** Refuses a database that has tables. */
async function requireNoTables(connection: SqlConnection, url: string): Promise<void> {
  if ((await readVersion(connection)) === 0) return
  throw new RefusedError(
    'invalid',
    `The database ${describeUrl(url)} has tables of Plumbline: nothing is overwritten. Make an empty database, and name it with --storage.`,
  )
}

const toolEnvironment = ({
  url,
  settings: { password },
  environment,
}: Pick<Dump, 'url' | 'settings' | 'environment'>) => ({
  ...environment,
  ...connectionVariables(readStorageUrl(url), password),
})

async function serverVersion(connection: SqlConnection): Promise<number> {
  const sql = `select current_setting('server_version_num')::int / 10000 as version`
  return Number((await oneRow(connection, sql))['version'])
}

async function countTables(connection: SqlConnection): Promise<Record<string, number>> {
  const { rows: tables } = await connection.query(
    `select tablename as name from pg_tables where schemaname = current_schema() order by 1`,
  )
  const counts: Record<string, number> = {}
  for (const { name } of tables)
    counts[String(name)] = Number(
      (await oneRow(connection, `select count(*) as count from "${String(name)}"`))['count'],
    )
  return counts
}

async function countRecords(connection: SqlConnection): Promise<{ theme: number; raw: number }> {
  const row = await oneRow(
    connection,
    `select ${countOf('theme')} as theme, ${countOf('raw')} as raw`,
  )
  return { theme: Number(row['theme']), raw: Number(row['raw']) }
}

const countOf = (kind: string): string =>
  `(select coalesce(sum(count), 0) from ${kind}_sealed_parts) + (select count(*) from ${kind}_records)`
