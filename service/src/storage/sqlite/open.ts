import { randomInt } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { openOnFullDisk, type Synchronous } from './connection/connection.ts'
import { alarmLists } from './alarm-lists/alarm-lists.ts'
import { changeStore } from './records/changes.ts'
import { Corrections } from './records/corrections.ts'
import { inspectDamagedLogs, keepDamagedLog } from './write-ahead-log/damaged-log.ts'
import { recordStore } from './records/records.ts'
import { TableChecks } from './integrity/check-tables.ts'
import { earlyRecordStore } from './records/early-records.ts'
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
import { Reader } from './connection/reader.ts'
import { retentionStore } from './records/retention.ts'
import { sealedDayStore } from './sealed-days/sealed-days.ts'
import { holdServing, isServed as isServedBy } from './connection/serving-lock.ts'
import { FolderUse } from './connection/use-lock.ts'
import { trafficStore } from './records/traffic.ts'
import { writeRecords } from './records/write-records.ts'
import { Writer } from './connection/writer.ts'
import { alarmStore } from '../sql/alarms.ts'
import { applicationStore } from '../sql/applications.ts'
import { clockStore } from '../sql/clock.ts'
import { deliveryStore } from '../sql/deliveries.ts'
import { deviceStore } from '../sql/devices.ts'
import { queryBuilder, type SqlEngine } from '../sql/engine.ts'
import { ingestKeyStore } from '../sql/ingest-keys.ts'
import { leaseStore } from '../sql/leases.ts'
import { maintenanceStore } from '../sql/maintenance.ts'
import { positionStore } from '../sql/positions.ts'
import { manualReadingStore } from '../sql/manual-readings.ts'
import { rejectStore } from '../sql/rejects.ts'
import { snapshotStore } from '../sql/snapshots.ts'
import { siteStore } from '../sql/site.ts'
import { outboxStore } from '../sql/outbox.ts'
import { tokenStore } from '../sql/tokens.ts'
import { waveformStore } from '../sql/waveforms.ts'
import type { Storage, StorageState } from '../storage.ts'

/** The bytes of a file; 0 without one. */
const bytesOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** A write that reaches the disk every time. */
const TOUCH = `insert into meta (key, value) values ('checked_at', ?)
  on conflict (key) do update set value = excluded.value`

export type SqliteOptions = {
  synchronous?: Synchronous
  /** Whether an older database may be migrated. */
  migrating?: Migrating
  /** Whether the process serves the database: no other program migrates it meanwhile. */
  isServed?: boolean
  /** Receives warnings: about permissions, a missing database, a copied file, a foreign schema. */
  warn?(sentence: string): void
  /** Receives a sentence about records that were lost. */
  alert?(sentence: string): void
  /** Receives a sentence about a database that was created. */
  inform?(sentence: string): void
  /** Whether to pause between transactions while a service works on the folder. */
  yieldsToService?: boolean
}

/** Opens the database of a data folder; creates both where they are missing. */
export async function openSqlite(
  folder: string,
  {
    synchronous = 'FULL',
    migrating = 'allow',
    isServed = false,
    warn = () => {},
    alert = warn,
    inform = () => {},
    yieldsToService = false,
  }: SqliteOptions = {},
): Promise<Storage> {
  const made = await describeNewDatabase(folder, DATABASE_FILE)
  await protectFolder(folder, DATABASE_FILE, warn)
  using failing = new DisposableStack()
  const use = failing.use(new FolderUse(folder))
  const file = join(folder, DATABASE_FILE)
  const isLogMissing = await reportMissingLog(folder, DATABASE_FILE, alert)
  if (!isServedBy(folder)) await requireOwnLog(file, warn)
  await keepDamagedLog(folder, DATABASE_FILE, alert)
  const main = await openMain({ folder, migrating, warn })
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
  markLog(folder)
  const files = new FileWatch(file)
  const writer = new Writer(
    { file, synchronous, yieldsToServiceIn: yieldsToService ? folder : undefined },
    files,
  )
  writer.blockedBy = main.blockedBy
  const corrections = new Corrections(reader)
  const records = { corrections, writer, number: randomInt(1, 2 ** 47) }
  const seals = sealedDayStore(file, reader, writer)
  const engine: SqlEngine = {
    build: queryBuilder('sqlite'),
    all: async (query) => reader.all(query),
    first: async (query) => reader.first(query),
    check: (span) => checks.check(span),
    write: (statements) => writer.write(statements),
  }

  failing.move()
  return {
    applications: applicationStore(engine),
    tokens: tokenStore(engine),
    ingestKeys: ingestKeyStore(engine),
    site: siteStore(engine),
    records: recordStore(reader, records),
    manualReadings: manualReadingStore(engine),
    sealedDays: seals,
    retention: retentionStore(reader, writer),
    clock: clockStore(engine),
    traffic: trafficStore(reader, writer, checks),
    waveforms: waveformStore({
      ...engine,
      // One attempt: after a conflict the caller finds the seconds of the waveforms again.
      async writeTheme({ deletions, marks, expected, ...theme }, options, statements) {
        const extra = { statements, attempts: 1 }
        await writeRecords(
          records,
          { theme },
          {
            ...options,
            deletions: { theme: deletions },
            ...(marks && { marks: { theme: marks } }),
            ...(expected && { expected: { theme: expected } }),
          },
          extra,
        )
      },
    }),
    alarms: alarmStore(engine, alarmLists(reader, engine)),
    outbox: outboxStore(engine),
    deliveries: deliveryStore(engine),
    maintenance: maintenanceStore(engine),
    snapshots: snapshotStore(engine),
    devices: deviceStore(engine),
    earlyRecords: earlyRecordStore(reader, writer),
    leases: leaseStore(engine),
    rejects: rejectStore(engine),
    positions: positionStore(engine),
    changes: changeStore(reader, writer, (...write) => writeRecords(records, ...write)),

    state,

    takeAlone: () => use.takeAlone(),

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
      await seals[Symbol.asyncDispose]()
      // The writer closes last: the last connection copies the log back into the database file.
      database.close()
      await writer[Symbol.asyncDispose]()
      // After a command has warned of a missing log the mark stays, so that the service warns too.
      if (isServed || !isLogMissing) await unmarkLog(folder, DATABASE_FILE)
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
