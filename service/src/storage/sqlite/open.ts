import type { Database } from 'better-sqlite3'
import { randomInt } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openForReading, openForWriting, type Synchronous } from './connection.ts'
import { changeStore } from './changes.ts'
import { Corrections } from './corrections.ts'
import { dataStore } from './data.ts'
import { TableChecks } from './check-tables.ts'
import { migrate } from './migrate.ts'
import { isMalformed, Reader } from './reader.ts'
import { retentionStore } from './retention.ts'
import { sealStore } from './seals.ts'
import { trafficStore } from './traffic.ts'
import { writeRecords } from './write-records.ts'
import { Writer } from './writer.ts'
import { DamageError } from '../../domain/damage-error.ts'
import { alarmStore } from '../sql/alarms.ts'
import { applicationStore } from '../sql/applications.ts'
import { deviceStore } from '../sql/devices.ts'
import { queryBuilder, type SqlEngine } from '../sql/engine.ts'
import { keyStore } from '../sql/keys.ts'
import { leaseStore } from '../sql/leases.ts'
import { maintenanceStore } from '../sql/maintenance.ts'
import { positionStore } from '../sql/positions.ts'
import { readingStore } from '../sql/readings.ts'
import { refusalStore } from '../sql/refusals.ts'
import { siteStore } from '../sql/sites.ts'
import { tellingStore } from '../sql/telling.ts'
import { tokenStore } from '../sql/tokens.ts'
import { vibrationStore } from '../sql/vibration.ts'
import type { Storage } from '../storage.ts'

const FILE_NAME = 'plumbline.db'

/** A write that really reaches the disk. */
const TOUCH = `insert into meta (key, value) values ('checked_at', ?)
  on conflict (key) do update set value = excluded.value`

/** Opens the database of a data folder, and makes both where there are none. */
export async function openSqlite(
  folder: string,
  { synchronous = 'FULL' }: { synchronous?: Synchronous } = {},
): Promise<Storage> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, FILE_NAME)
  const first = openFile(file)
  try {
    migrate(first)
    allowTidying(first)
  } catch (error) {
    first.close()
    throw isMalformed(error) ? malformed(file, error as SqliteFailure) : error
  }

  // The first connection stays open until there is another: the last one to close a
  // write-ahead log would copy it all back.
  const database = openForReading(file)
  first.close()
  const reader = new Reader(database)
  const checks = new TableChecks(database)
  const writer = new Writer({ file, synchronous })
  const corrections = new Corrections(reader)
  const records = { corrections, writer, number: randomInt(1, 2 ** 47) }
  const seals = sealStore(file, reader, writer)
  const engine: SqlEngine = {
    build: queryBuilder('sqlite'),
    all: async (query) => reader.all(query),
    check: (span) => checks.check(span),
    write: (statements) => writer.write(statements),
  }

  return {
    applications: applicationStore(engine),
    tokens: tokenStore(engine),
    keys: keyStore(engine),
    sites: siteStore(engine),
    data: dataStore(reader, records),
    readings: readingStore(engine),
    seals,
    retention: retentionStore(reader, writer),
    traffic: trafficStore(reader, writer, checks),
    vibration: vibrationStore({
      ...engine,
      // Once: what it conflicts with is looked at anew, the batches' seconds too.
      async writeTheme({ gone, ...theme }, options, further) {
        await writeRecords(records, { theme }, { ...options, gone: { theme: gone } }, further, 1)
      },
    }),
    alarms: alarmStore(engine),
    telling: tellingStore(engine),
    maintenance: maintenanceStore(engine),
    devices: deviceStore(engine),
    leases: leaseStore(engine),
    refusals: refusalStore(engine),
    positions: positionStore(engine),
    changes: changeStore(reader, writer, (...write) => writeRecords(records, ...write)),

    async check() {
      reader.row(`select 1`)
      await writer.write([{ sql: TOUCH, width: 1, values: [Date.now()] }])
      if (writer.refusal !== undefined) throw writer.refusal
    },

    async inspect() {
      const lines = inspectFile(reader)
      return [...lines.map((line) => `The database file: ${line}`), ...checks.inspect()]
    },

    async [Symbol.asyncDispose]() {
      await seals[Symbol.asyncDispose]()
      // The writer goes last: it may fold the log back into the one file that is left.
      database.close()
      await writer[Symbol.asyncDispose]()
    },
  }
}

type SqliteFailure = Error & { code: string }

function openFile(file: string): Database {
  try {
    return openForWriting(file, 'FULL')
  } catch (error) {
    throw isMalformed(error) ? malformed(file, error as SqliteFailure) : error
  }
}

const malformed = (file: string, { code }: SqliteFailure): DamageError =>
  new DamageError(`The database file ${file} is malformed (${code}). Restore it from a backup.`)

function inspectFile(reader: Reader): string[] {
  try {
    const lines = reader.rows<[string]>('pragma integrity_check(100)').map(([line]) => line)
    return lines.filter((line) => line !== 'ok')
  } catch (error) {
    if (error instanceof DamageError) return [error.message]
    throw error
  }
}

/** A file of before it could shrink is written anew, once. */
function allowTidying(database: Database): void {
  if (database.pragma('auto_vacuum', { simple: true }) !== 0) return
  database.pragma('auto_vacuum = INCREMENTAL')
  try {
    database.exec('vacuum')
  } catch (error) {
    // Others are at work in it: then at the next start.
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error
  }
}
