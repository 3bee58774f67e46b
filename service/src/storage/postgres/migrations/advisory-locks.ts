import type { SqlConnection } from '../connection/sql-connection.ts'

/** The first number of the advisory locks of Plumbline; the second is the schema of its tables. */
const MIGRATING = 1_886_154_093
const SERVING = MIGRATING + 1
const USING = MIGRATING + 2

const keyOf = (lock: number): string => `${lock}, hashtext(current_schema())`

/** Waits until no other instance migrates; held until the transaction ends. */
export async function lockMigrating(connection: SqlConnection): Promise<void> {
  await connection.query(`select pg_advisory_xact_lock(${keyOf(MIGRATING)})`)
}

/**
 * Marks the database as served for as long as the connection lives: no other program migrates it
 * meanwhile; false while one does. Needs a connection of its own that stays open. One may have migrated
 * it before: read its version afterwards.
 */
export const holdServing = (connection: SqlConnection): Promise<boolean> =>
  tryLock(connection, `pg_try_advisory_lock_shared(${keyOf(SERVING)})`)

/** Whether no instance serves the database; if so, none begins to until the transaction ends. */
export async function excludeServing(connection: SqlConnection): Promise<boolean> {
  const { rows } = await connection.query(
    `select pg_try_advisory_xact_lock(${keyOf(SERVING)})::int as alone`,
  )
  return Number(rows[0]?.['alone']) === 1
}

/**
 * Marks the database as used for as long as the connection lives; false where another program has it
 * alone.
 */
export const holdUse = (connection: SqlConnection): Promise<boolean> =>
  tryLock(connection, `pg_try_advisory_lock_shared(${keyOf(USING)})`)

/** Takes the use of a connection that holds it alone; false where another one holds it. */
export const keepUseAlone = (connection: SqlConnection): Promise<boolean> =>
  tryLock(connection, `pg_try_advisory_lock(${keyOf(USING)})`)

export async function leaveUseAlone(connection: SqlConnection): Promise<void> {
  await connection.query(`select pg_advisory_unlock(${keyOf(USING)})`)
}

async function tryLock(connection: SqlConnection, call: string): Promise<boolean> {
  const { rows } = await connection.query(`select ${call}::int as taken`)
  return Number(rows[0]?.['taken']) === 1
}
