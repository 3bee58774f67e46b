import { fileURLToPath } from 'node:url'
import { queryBuilder, type SqlEngine } from '../sql/engine.ts'
import { openStores } from '../sql/open-stores.ts'
import { SealingProcess } from '../sql/sealed-days/sealing-process.ts'
import type { Storage } from '../storage.ts'
import { openConnection, resolveOptions } from './connection/open-connection.ts'
import type { ConnectionSettings } from './connection/connection-settings.ts'
import { ConnectionPool } from './connection/connection-pool.ts'
import { warnOfNoRoom } from './connection/connection-room.ts'
import { DatabaseSession } from './connection/database-session.ts'
import { explain } from './connection/postgres-errors.ts'
import { PostgresReader } from './connection/postgres-reader.ts'
import { PostgresWriter } from './connection/postgres-writer.ts'
import { valueTypes } from './connection/value-types.ts'
import { copying, copyingDistributed } from './copying.ts'
import { DatabaseWatch } from './database-watch.ts'
import { isDistributed } from './distribution/find-distribution.ts'
import { shardRunner } from './distribution/shard-runner.ts'
import { MIGRATIONS } from './migrations/all-migrations.ts'
import { prepareDatabase, type PreparationOptions } from './prepare-database.ts'
import { requireUnchanged } from './require-unchanged.ts'
import type { SealedDatabase } from './sealed-days/sealing-program.ts'

export type PostgresOptions = ConnectionSettings &
  PreparationOptions & {
    /** `OFF` acknowledges writes that a crash of the server may lose. */
    synchronous?: 'FULL' | 'OFF' | undefined
    /** Whether the process serves the database: no other program migrates it meanwhile. */
    isServed?: boolean
    /** Whether it reads for a service of which another process writes. */
    isWorker?: boolean
    /** The most memory for compressed hours of open days, in bytes; default: none are kept. */
    openDayBytes?: number | undefined
    /** Receives a sentence about records that were lost. */
    alert?(sentence: string): void
  }

const SEALING_PROGRAM = fileURLToPath(new URL('./sealed-days/sealing-program.ts', import.meta.url))

/** More connections do not write faster: the disk of the database is the limit. */
const WRITING_MAXIMUM = 4

/** A write that reaches the disk every time. */
const TOUCH = `insert into meta (key, value) values ('checked_at', ?)
  on conflict (key) do update set value = excluded.value`

/** Opens the database of a storage URL. */
export async function openPostgres(url: string, options: PostgresOptions): Promise<Storage> {
  await using stack = new AsyncDisposableStack()
  const { migrations = MIGRATIONS } = options
  const isSpread = await prepare(url, options)
  const resolved = await resolveOptions(url, options)
  const connections = { ...resolved, types: valueTypes, pipeline: true }
  // One more holds the locks of the session, and one belongs to the process that seals.
  const writing = Math.max(1, Math.min(WRITING_MAXIMUM, Math.floor(options.poolSize / 3)))
  const reading = Math.max(1, options.poolSize - writing - 2)
  const onNoRoom = warnOfNoRoom(options.poolSize, options.warn ?? (() => {}))
  // Each keeps one, so that readers do not take the last place of the writers.
  const readers = new ConnectionPool({ ...connections, min: 1, max: reading, onNoRoom })
  const writers = new ConnectionPool({
    ...connections,
    min: 1,
    max: writing,
    onNoRoom,
    options: writingOptions(resolved.options, options.synchronous, isSpread),
  })
  const { password, poolSize, statementTimeoutSeconds } = options
  const sealing = new SealingProcess<SealedDatabase>({
    program: SEALING_PROGRAM,
    database: { url, settings: { password, poolSize, statementTimeoutSeconds } },
  })
  // It ends last: what is under way does not wait for a server that is silent.
  const session = stack.use(
    await DatabaseSession.open({
      connection: resolved,
      isServed: options.isServed === true,
      verify: (connection) => requireUnchanged(connection, isSpread, migrations),
      pools: [readers, writers, sealing],
    }),
  )
  stack.defer(() => readers.close())
  stack.defer(() => writers.close())
  stack.use(sealing)
  const watch = stack.use(new DatabaseWatch(readers, migrations.length))
  await watch.look()
  const reader = new PostgresReader(readers)
  const writer = new PostgresWriter({
    pool: writers,
    connections: writing,
    ...(isSpread ? { runner: shardRunner } : {}),
    refusal: () => session.problem ?? watch.stall,
  })
  const engine: SqlEngine = {
    build: queryBuilder('postgres'),
    // Citus refuses to find something of each row of a table that is not distributed.
    dialect: isSpread ? { ...reader.dialect, isSpread, givenSources: undefined } : reader.dialect,
    recordChecks: reader.recordChecks,
    check: reader.check,
    row: (sql, ...values) => reader.row(sql, ...values),
    rows: (sql, ...values) => reader.rows(sql, ...values),
    all: (query) => reader.all(query),
    first: (query) => reader.first(query),
    snapshot: (read) => reader.snapshot(read),
    write: (statements) => writer.write(statements),
    noteFailure: (error) => writer.noteFailure(error),
  }
  const { stores, drain } = openStores(engine, {
    copying: isSpread ? copyingDistributed : copying,
    openDayBytes: options.openDayBytes,
    prepareSeal: (request) =>
      sealing.prepare(request).catch((error: unknown) => {
        throw explain(error, 'read')
      }),
    // PostgreSQL's own vacuum does it.
    reclaimSpace: async () => ({ isDone: true }),
  })
  stack.defer(async () => {
    await drain()
    await writer.drain()
  })

  const opened = stack.move()
  return {
    ...stores,

    state: () => ({
      reading: watch.problem,
      writing: watch.problem ?? session.problem ?? watch.stall ?? watch.lack ?? writer.failure,
    }),

    takeAlone: () => session.takeAlone(),

    countPendingMigrations: () => watch.pending,

    measureFiles: () => ({ database: watch.bytes, log: 0 }),

    async check() {
      await writer.write([{ sql: TOUCH, width: 1, values: [Date.now()] }])
      await watch.look()
      const problem = watch.problem ?? watch.lack
      if (problem !== undefined) throw problem
      if (writer.failure !== undefined) throw writer.failure
    },

    // The server itself checks what it reads, where its data checksums are on.
    inspect: async () => ({ damaged: [], stale: [] }),
    rebuildIndexes: async () => 0,

    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** Makes sure that the database can be used; returns whether its tables are distributed. */
async function prepare(url: string, options: PostgresOptions): Promise<boolean> {
  await using connection = await openConnection(url, options)
  await prepareDatabase(connection, options)
  return await isDistributed(connection)
}

/** The settings of connections that write. */
const writingOptions = (
  own: string | undefined,
  synchronous: PostgresOptions['synchronous'],
  isSpread: boolean,
): string =>
  [
    own ?? '',
    synchronous === 'OFF' ? '-c synchronous_commit=off' : '',
    // One connection to each worker in place of one for each shard: these cost milliseconds.
    isSpread ? '-c citus.multi_shard_modify_mode=sequential' : '',
  ]
    .join(' ')
    .trim()
