import { copyDatabase, createDatabase, type Database } from './postgres/_database.ts'
import { PostgresServer, type ServerOptions } from './postgres/_server.ts'
import { sharedServer } from './postgres/_shared.ts'

/** An empty database with a role of its own, on the server that all tests of a run share. */
export const newDatabase = async (): Promise<Database> => createDatabase(await sharedServer())

/** A database like another one, to which nobody is connected: far faster than to migrate an empty one. */
export const copyOf = async (database: Database): Promise<Database> =>
  copyDatabase(await sharedServer(), database)

/** A server of its own, to be killed, paused and restarted. */
export const startServer = (options?: ServerOptions): Promise<PostgresServer> =>
  PostgresServer.create(options)
