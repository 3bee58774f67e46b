import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { openOnFullDisk, type Synchronous } from './connection/connection.ts'
import { alarmLists } from './alarm-lists/alarm-lists.ts'
import { changeStore } from './records/changes.ts'
import { Corrections } from './records/corrections.ts'
import { inspectDamagedLogs, keepDamagedLog } from './log/damaged-log.ts'
import { recordStore } from './records/records.ts'
import { TableChecks } from './integrity/check-tables.ts'
import { earlyRecordStore } from './records/early-records.ts'
import { FileWatch } from './connection/file-watch.ts'
import { inspectFile } from './integrity/inspect-file.ts'
import { describeStale, findStale, indexOf, rebuildStatements } from './integrity/stale-indexes.ts'
import { requireOwnLog } from './log/log-base.ts'
import { markLog, missLog, unmarkLog } from './log/log-mark.ts'
import { DATABASE_FILE, openMain, reopenMain } from './connection/main-connection.ts'
import type { Migrating } from './migrations/migrate.ts'
import { describeNewDatabase } from './migrations/new-database.ts'
import { protectFolder } from './connection/protect-folder.ts'
import { Reader } from './connection/reader.ts'
import { retentionStore } from './records/retention.ts'
import { sealedDayStore } from './sealed-days/sealed-days.ts'
import { holdServing, isServed as isServedBy } from './connection/serving-lock.ts'
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
import { siteStore } from '../sql/site.ts'
import { outboxStore } from '../sql/outbox.ts'
import { tokenStore } from '../sql/tokens.ts'
import { waveformStore } from '../sql/waveforms.ts'
import type { Storage, StorageState } from '../storage.ts'

/** A write that really reaches the disk. */
const TOUCH = `insert into meta (key, value) values ('checked_at', ?)
  on conflict (key) do update set value = excluded.value`

export type SqliteOptions = {
  synchronous?: Synchronous
  /** What is done where the database is older than this program. */
  migrating?: Migrating
  /** It is served: no program migrates it meanwhile. */
  isServed?: boolean
  /** Told when the folder was, or is, open to others, and when the database that it had is gone. */
  warn?(sentence: string): void
  /** Told of what was lost. */
  alert?(sentence: string): void
  /** Told when a database was made where there was none. */
  inform?(sentence: string): void
  /** Leave gaps between transactions while a service works on the folder. */
  givesWay?: boolean
}

/** Opens the database of a data folder, and makes both where there are none. */
export async function openSqlite(
  folder: string,
  {
    synchronous = 'FULL',
    migrating = 'allow',
    isServed = false,
    warn = () => {},
    alert = warn,
    inform = () => {},
    givesWay = false,
  }: SqliteOptions = {},
): Promise<Storage> {
  const made = await describeNewDatabase(folder, DATABASE_FILE)
  await protectFolder(folder, DATABASE_FILE, warn)
  const file = join(folder, DATABASE_FILE)
  const isLogMissing = await missLog(folder, DATABASE_FILE, alert)
  if (!isServedBy(folder)) await requireOwnLog(file, warn)
  await keepDamagedLog(folder, DATABASE_FILE, alert)
  const main = await openMain({ folder, migrating, warn })
  let { database } = main
  if (made !== undefined) (made.isSuspicious ? warn : inform)(made.sentence)
  const reader = new Reader(database)
  const checks = new TableChecks(reader)
  const serving = isServed ? holdServing(folder) : undefined
  // It may have been migrated just before it was served.
  const refusal = reader.look()
  if (refusal !== undefined) {
    serving?.[Symbol.dispose]()
    database.close()
    throw refusal
  }
  markLog(folder)
  const files = new FileWatch(file)
  const writer = new Writer({ file, synchronous, givesWayIn: givesWay ? folder : undefined }, files)
  writer.blockedBy = main.blockedBy
  const corrections = new Corrections(reader)
  const records = { corrections, writer, number: randomInt(1, 2 ** 47) }
  const seals = sealedDayStore(file, reader, writer)
  const engine: SqlEngine = {
    build: queryBuilder('sqlite'),
    all: async (query) => reader.all(query),
    check: (span) => checks.check(span),
    write: (statements) => writer.write(statements),
  }

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
      // Once: what it conflicts with is looked at anew, the batches' seconds too.
      async writeTheme({ deletions, ...theme }, options, further) {
        const beside = { further, attempts: 1 }
        await writeRecords(
          records,
          { theme },
          { ...options, deletions: { theme: deletions } },
          beside,
        )
      },
    }),
    alarms: alarmStore(engine, alarmLists(reader, engine)),
    outbox: outboxStore(engine),
    deliveries: deliveryStore(engine),
    maintenance: maintenanceStore(engine),
    devices: deviceStore(engine),
    earlyRecords: earlyRecordStore(reader, writer),
    leases: leaseStore(engine),
    rejects: rejectStore(engine),
    positions: positionStore(engine),
    changes: changeStore(reader, writer, (...write) => writeRecords(records, ...write)),

    state: look,

    async check() {
      const { reading, writing } = look()
      if (reading !== undefined) throw reading
      if (files.problem !== undefined || writer.blockedBy !== undefined) throw writing
      await writer.write([{ sql: TOUCH, width: 1, values: [Date.now()] }])
      if (writer.refusal !== undefined) throw writer.refusal
    },

    async inspect() {
      const lines = inspectFile(reader)
      const stale = describeStale(findStale(reader, lines))
      const file = lines
        .filter((line) => indexOf(line) === undefined)
        .map((line) => `The database file: ${line}`)
      const pageBytes = database.pragma('page_size', { simple: true }) as number
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
      // The writer goes last: it may fold the log back into the one file that is left.
      database.close()
      await writer[Symbol.asyncDispose]()
      // What a command says of a log that is missing the service says too.
      if (isServed || !isLogMissing) await unmarkLog(folder, DATABASE_FILE)
      serving?.[Symbol.dispose]()
    },
  }

  function look(): StorageState {
    if (writer.blockedBy !== undefined) goOn()
    else files.look()
    return { reading: reader.look(), writing: writer.refusal }
  }

  /** Who reads alone keeps everybody out, and so goes away for a moment to see what is possible. */
  function goOn(): void {
    database.close()
    const reopened = reopenMain(file)
    if (reopened !== undefined) writer.blockedBy = undefined
    database = reopened ?? openOnFullDisk(file)
    reader.replace(database)
    files.renew()
  }
}
