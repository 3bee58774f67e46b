import type { SqlConnection } from './sql-connection.ts'

/** A setting of the server, and what it means for the data. */
const LOSSES: Readonly<Record<string, string>> = {
  synchronous_commit:
    'synchronous_commit is off: acknowledged records may be lost when the server crashes. Set it to on, also for the role and the database of Plumbline.',
  fsync:
    'fsync is off: a crash of the machine of the database may destroy all data. Set it to on in postgresql.conf.',
  full_page_writes:
    'full_page_writes is off: a crash of the machine of the database may damage data without a trace. Set it to on in postgresql.conf.',
}

/** A sentence about each setting with which acknowledged records may be lost or damaged. */
export async function describeDurability(connection: SqlConnection): Promise<string[]> {
  const names = Object.keys(LOSSES)
  const off = await listOff(connection, names)
  return off.map((name) => `The database: ${LOSSES[name] ?? ''}`)
}

/** A sentence where the server does not find damage of its disks. */
export async function describeChecksums(connection: SqlConnection): Promise<string[]> {
  const off = await listOff(connection, ['data_checksums'])
  return off.map(
    () =>
      'The database: data checksums are off, so that damage by its disk is not found. Stop the server and run "pg_checksums --enable", or initialise it with "initdb --data-checksums".',
  )
}

async function listOff(connection: SqlConnection, names: string[]): Promise<string[]> {
  const { rows } = await connection.query(
    `select name::text from pg_settings where setting = 'off' and name = any ($1::text[])`,
    [names],
  )
  const found = new Set(rows.map(({ name }) => name))
  return names.filter((name) => found.has(name))
}
