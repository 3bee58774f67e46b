import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openForReading, openOnFullDisk, type Synchronous } from './connection/connection.ts'
import { inspectDamagedLogs, keepDamagedLog } from './write-ahead-log/damaged-log.ts'
import { TableChecks } from './integrity/check-tables.ts'
import { FileWatch } from './connection/file-watch.ts'
import { groupFileLines } from './integrity/group-file-lines.ts'
import { findTree, inspectFile } from './integrity/inspect-file.ts'
import { describeStale, findStale, indexOf, rebuildStatements } from './integrity/stale-indexes.ts'
import { requireOwnLog } from './write-ahead-log/log-base.ts'
import { markLog, reportMissingLog, unmarkLog } from './write-ahead-log/log-mark.ts'
import { DATABASE_FILE, openMain, reopenMain } from './connection/main-connection.ts'
import type { Migrating } from './migrations/migrate.ts'
import { describeNewDatabase } from './migrations/new-database.ts'
import { protectFolder } from './connection/protect-folder.ts'
import { AsyncReader } from './connection/async-reader.ts'
import { Reader } from './connection/reader.ts'
import { recordChecks } from './integrity/record-checks.ts'
import { reclaimSpace } from './reclaim-space.ts'
import { holdServing, isServed as isServedBy } from './connection/serving-lock.ts'
import { FolderUse } from './connection/use-lock.ts'
import { Writer } from './connection/writer.ts'
import { copying } from './copying.ts'
import { openStores } from '../sql/open-stores.ts'
import { SealingProcess } from '../sql/sealed-days/sealing-process.ts'
import type { SealedDatabase } from './sealed-days/sealing-program.ts'
import { queryBuilder, type SqlEngine } from '../sql/engine.ts'
import type { Storage, StorageState } from '../storage.ts'

/** The bytes of a file; 0 without one. */
const bytesOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const SEALING_PROGRAM = fileURLToPath(new URL('./sealed-days/sealing-program.ts', import.meta.url))

/** A write that reaches the disk every time. */
const TOUCH = `insert into meta (key, value) values ('checked_at', ?)
  on conflict (key) do update set value = excluded.value`

export type SqliteOptions = {
  synchronous?: Synchronous
  /** Whether an older database may be migrated. */
  migrating?: Migrating
  /** Whether the process serves the database: no other program migrates it meanwhile. */
  isServed?: boolean
  /**
   * Whether the process reads beside one that serves the database: it leaves checks, migrations and
   * the marks of the log to that one, and starts no thread for writing before its first write.
   */
  isWorker?: boolean
  /** Receives warnings: about permissions, a missing database, a copied file, a foreign schema. */
  warn?(sentence: string): void
  /** Receives a sentence about records that were lost. */
  alert?(sentence: string): void
  /** Whether an older database is copied before it is migrated; default: yes. */
  keepsEarlier?: boolean
  /** Receives a sentence about a database that was created, or copied before it is migrated. */
  inform?(sentence: string): void
  /** Whether to pause between transactions while a service works on the folder. */
  yieldsToService?: boolean
  /** Whether a process follows the log, and copies it back itself. */
  isFollowed?: boolean
  /** The most memory for compressed hours of open days, in bytes; default: none are kept. */
  openDayBytes?: number | undefined
}

/** Opens the database of a data folder; creates both where they are missing. */
export async function openSqlite(
  folder: string,
  {
    synchronous = 'FULL',
    migrating = 'allow',
    isServed = false,
    isWorker = false,
    warn = () => {},
    alert = warn,
    inform = () => {},
    keepsEarlier = true,
    yieldsToService = false,
    isFollowed = false,
    openDayBytes,
  }: SqliteOptions = {},
): Promise<Storage> {
  const file = join(folder, DATABASE_FILE)
  const made = isWorker ? undefined : await describeNewDatabase(folder, DATABASE_FILE)
  if (!isWorker) await protectFolder(folder, DATABASE_FILE, warn)
  using failing = new DisposableStack()
  const use = failing.use(new FolderUse(folder))
  const isLogMissing = !isWorker && (await reportMissingLog(folder, DATABASE_FILE, alert))
  if (!isWorker) {
    if (!isServedBy(folder)) await requireOwnLog(file, warn)
    await keepDamagedLog(folder, DATABASE_FILE, alert)
  }
  const main = isWorker
    ? { database: openForReading(file), blockedBy: undefined }
    : await openMain({ folder, migrating, keepsEarlier, inform, warn })
  let { database } = main
  if (made !== undefined) (made.isSuspicious ? warn : inform)(made.sentence)
  const reader = new Reader(database)
  const checks = new TableChecks(reader)
  const serving = isServed ? holdServing(folder) : undefined
  // Another program may have migrated it before it was marked as served.
  const error = reader.checkVersion()
  if (error !== undefined) {
    serving?.[Symbol.dispose]()
    database.close()
    throw error
  }
  if (!isWorker) markLog(folder)
  const files = new FileWatch(file)
  const writer = new Writer(
    { file, synchronous, yieldsToServiceIn: yieldsToService ? folder : undefined, isFollowed },
    files,
  )
  if (!isWorker) writer.open()
  writer.blockedBy = main.blockedBy
  const reads = new AsyncReader(reader, recordChecks(reader), (span) => checks.check(span))
  const engine: SqlEngine = {
    build: queryBuilder('sqlite'),
    dialect: reads.dialect,
    recordChecks: reads.recordChecks,
    check: reads.check,
    row: (sql, ...values) => reads.row(sql, ...values),
    rows: (sql, ...values) => reads.rows(sql, ...values),
    all: (query) => reads.all(query),
    first: (query) => reads.first(query),
    snapshot: (read) => reads.snapshot(read),
    write: (statements) => writer.write(statements),
    noteFailure: (error) => writer.noteFailure(error),
  }
  const sealing = new SealingProcess<SealedDatabase>({
    program: SEALING_PROGRAM,
    database: { file },
  })

  const { stores, drain } = openStores(engine, {
    copying,
    openDayBytes,
    prepareSeal: (request) => sealing.prepare(request),
    reclaimSpace: () => reclaimSpace(reader, writer),
  })

  failing.move()
  return {
    ...stores,

    state,

    async takeAlone() {
      const alone = use.takeAlone()
      return { [Symbol.asyncDispose]: async () => alone[Symbol.dispose]() }
    },

    // A data folder is migrated before it is served.
    countPendingMigrations: () => 0,

    measureFiles: () => ({ database: bytesOf(file), log: bytesOf(`${file}-wal`) }),

    async check() {
      const { reading, writing } = state()
      if (reading !== undefined) throw reading
      if (files.problem !== undefined || writer.blockedBy !== undefined) throw writing
      await writer.write([{ sql: TOUCH, width: 1, values: [Date.now()] }])
      if (writer.failure !== undefined) throw writer.failure
    },

    async inspect() {
      const lines = inspectFile(reader)
      const stale = describeStale(findStale(reader, lines))
      const file = groupFileLines(
        lines.filter((line) => indexOf(line) === undefined),
        (page) => findTree(reader, page),
      )
      const pageBytes = Number(database.pragma('page_size', { simple: true }))
      const logs = await inspectDamagedLogs(folder, DATABASE_FILE, pageBytes)
      return { damaged: [...file, ...logs, ...checks.inspect()], stale }
    },

    async rebuildIndexes() {
      const stale = findStale(reader, inspectFile(reader))
      await writer.write(rebuildStatements(stale))
      return describeStale(stale).length
    },

    async [Symbol.asyncDispose]() {
      await drain()
      await sealing[Symbol.asyncDispose]()
      // The writer closes last: the last connection copies the log back into the database file.
      database.close()
      await writer[Symbol.asyncDispose]()
      // After a command has warned of a missing log the mark stays, so that the service warns too.
      if (!isWorker && (isServed || !isLogMissing)) await unmarkLog(folder, DATABASE_FILE)
      serving?.[Symbol.dispose]()
      use[Symbol.dispose]()
    },
  }

  function state(): StorageState {
    if (writer.blockedBy !== undefined) retryWriting()
    else files.check()
    return { reading: reader.checkVersion(), writing: writer.failure }
  }

  /** Closes the exclusive connection for a moment, and opens one for writing if that is possible. */
  function retryWriting(): void {
    database.close()
    const reopened = reopenMain(file)
    if (reopened !== undefined) writer.blockedBy = undefined
    database = reopened ?? openOnFullDisk(file)
    reader.replace(database)
    files.reset()
  }
}
