import { oneRow, type SqlConnection } from './sql-connection.ts'

/** A sentence where a service may open more connections than the server gives its role. */
export async function describeRoom(connection: SqlConnection, wanted: number): Promise<string[]> {
  const { room } = await oneRow(connection, ROOM)
  if (wanted <= Number(room)) return []
  return [
    `The settings allow this service ${wanted} connections, and the server gives its role ${String(room)}: lower storage.poolSize or http.workers, or raise max_connections.`,
  ]
}

const HOUR_MILLISECONDS = 3_600_000

/** Warns of a server that refuses a connection for lack of room, once an hour at most. */
export function warnOfNoRoom(poolSize: number, warn: (sentence: string) => void): () => void {
  let nextAt = 0
  return () => {
    if (performance.now() < nextAt) return
    nextAt = performance.now() + HOUR_MILLISECONDS
    warn(
      `The database has no more connections for this service, so that requests wait for those that it has. Lower storage.poolSize (${poolSize}), or raise the limit of the role, of the database or max_connections.`,
    )
  }
}

/** A limit of -1 is none. */
const ROOM = `select least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
    (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
    (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as room`
