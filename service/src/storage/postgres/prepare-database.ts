import { RefusedError } from '../../errors/refused-error.ts'
import { describePending, isServable, type Migrating, type Migration } from '../migration.ts'
import { describeChecksums, describeDurability } from './connection/durability.ts'
import { oneRow, type SqlConnection } from './connection/sql-connection.ts'
import { MIGRATIONS } from './migrations/all-migrations.ts'
import { migrate, planMigration } from './migrations/migrate.ts'

export type PreparationOptions = {
  /** Whether an older database may be migrated. */
  migrating?: Migrating
  /** Whether tables are created in an empty database; without it, it is refused. */
  mayCreate?: boolean
  /** Those of the program; tests pass others. */
  migrations?: readonly Migration[]
  /** Receives warnings: settings of the server with which records may be lost. */
  warn?(sentence: string): void
  /** Receives a sentence about tables that were created, and about missing checksums. */
  inform?(sentence: string): void
}

/** Makes sure that a database has the tables of this program, and reports what its server may lose. */
export async function prepareDatabase(
  connection: SqlConnection,
  {
    migrating = 'allow',
    mayCreate = true,
    migrations = MIGRATIONS,
    warn = () => {},
    inform = () => {},
  }: PreparationOptions = {},
): Promise<void> {
  const { from, to } = await planMigration(connection, migrations)
  const { database } = await oneRow(connection, 'select current_database()::text as database')
  if (from === 0 && !mayCreate) throw noTables(String(database))
  // Instances of an older version may still serve beside: only the command takes an optional step.
  const isServed = isServable(from, migrations)
  if (isServed && from < to) warn(describePending(from, to))
  const taken = isServed ? [] : await migrate(connection, { migrating }, migrations)
  if (from === 0 && taken.length > 0)
    inform(`The tables of Plumbline were created in the database ${String(database)}.`)
  for (const sentence of await describeDurability(connection)) warn(sentence)
  for (const sentence of await describeChecksums(connection)) inform(sentence)
}

const noTables = (database: string): RefusedError =>
  new RefusedError(
    'absent',
    `There are no tables of Plumbline in the database ${database}: check --storage; "plumbline migrate", "plumbline serve" and "plumbline site apply" create them.`,
  )
