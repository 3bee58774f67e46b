import { serveSealing } from '../../sql/sealed-days/serve-sealing.ts'
import { ConnectionPool } from '../connection/connection-pool.ts'
import type { ConnectionSettings } from '../connection/connection-settings.ts'
import { resolveOptions } from '../connection/open-connection.ts'
import { PostgresReader } from '../connection/postgres-reader.ts'
import { valueTypes } from '../connection/value-types.ts'

/** The database that it reads. */
export type SealedDatabase = { url: string; settings: ConnectionSettings }

serveSealing(async ({ url, settings }: SealedDatabase) => {
  const resolved = await resolveOptions(url, settings)
  const pool = new ConnectionPool({ ...resolved, types: valueTypes, pipeline: true, max: 1 })
  return {
    reader: new PostgresReader(pool),
    [Symbol.asyncDispose]: () => pool.close(),
  }
})
