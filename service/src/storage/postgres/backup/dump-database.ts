import { RefusedError } from '../../../errors/refused-error.ts'
import type { ConnectionSettings } from '../connection/connection-settings.ts'
import { openConnection } from '../connection/open-connection.ts'
import { oneRow, type SqlConnection } from '../connection/sql-connection.ts'
import {
  COPIED_TABLES,
  LEFT_OUT,
  openDays,
  openRecords,
  RECORD_KINDS,
} from '../../sql/copy/copied-tables.ts'
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
  const { schema, own, others } = await listTables(connection)
  const chosen = [
    `--schema=${quote(schema)}`,
    ...others.map((name) => `--exclude-table=${quote(schema)}.${quote(name)}`),
  ]
  const flags = ['--format=custom', '--no-password', `--snapshot=${String(snapshot)}`, ...chosen]
  const dumping = runTool('pg_dump', [...flags, `--file=${file}`], tool)
  dumping.catch(() => undefined)
  const rows = await countRows(connection, own)
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
  const { schema } = await oneRow(connection, 'select current_schema() as schema')
  // The schema is there; without its name a dump would make it again.
  const flags = ['--no-owner', '--no-privileges', '--no-password', '--exit-on-error']
  const into = ['--single-transaction', `--schema=${String(schema)}`, `--dbname=${database}`]
  await runTool('pg_restore', [...flags, ...into, file], tool)
  const restoredVersion = await readVersion(connection)
  if (restoredVersion === 0)
    throw new RefusedError(
      'invalid',
      `The dump has no tables for the schema ${String(schema)} of the database ${describeUrl(url)}: nothing was restored. Name a role whose search_path has the schema that the tables were in.`,
    )
  const restored = await countRecords(connection)
  const isSame = restored.theme === records.theme && restored.raw === records.raw
  if (!isSame || restoredVersion !== version)
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

type Tables = { schema: string; own: string[]; others: string[] }

/**
 * The tables of the schema. Others are those of programs and extensions that the role may not read; one of
 * Plumbline is never among them: without the right to read it no backup is made.
 */
async function listTables(connection: SqlConnection): Promise<Tables> {
  const { schema } = await oneRow(connection, 'select current_schema() as schema')
  const { rows } = await connection.query(
    `select relname as name, has_table_privilege(oid, 'select') as is_readable
      from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
      order by 1`,
  )
  const tables = rows.map((row) => ({ name: String(row['name']), isReadable: row['is_readable'] }))
  const isOther = ({ name, isReadable }: (typeof tables)[number]): boolean =>
    isReadable === false && !OWN_TABLES.has(name)
  return {
    schema: String(schema),
    own: tables.filter((table) => !isOther(table)).map(({ name }) => name),
    others: tables.filter(isOther).map(({ name }) => name),
  }
}

const OWN_TABLES: ReadonlySet<string> = new Set([
  ...[...COPIED_TABLES, ...RECORD_KINDS.flatMap((kind) => [openRecords(kind), openDays(kind)])].map(
    ({ name }) => name,
  ),
  ...LEFT_OUT,
])

/** A name as SQL and the patterns of `pg_dump` write it. */
const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

async function countRows(
  connection: SqlConnection,
  tables: readonly string[],
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const name of tables)
    counts[name] = Number(
      (await oneRow(connection, `select count(*) as count from ${quote(name)}`))['count'],
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
