import Sqlite from 'better-sqlite3'
import { join } from 'node:path'
import { recordKey, recordText } from '../../service/src/domain/records/record-text.ts'
import { addChecksums } from './add-checksums.ts'
import { series, type SeriesRecord } from './series.ts'
import { ITEM_KEYS } from './site.ts'

/** Stations and how many records each has, from the first instant on. */
export type Holding = { stations: readonly number[]; records: number }

type Table = {
  name: string
  /** The column with the id of the record’s source. */
  owner: string
  /** What follows it, in the order of the table. */
  columns: readonly string[]
  row(record: SeriesRecord): unknown[]
}

const KEYS = ITEM_KEYS.map(recordKey)

const SERVICE_TABLE: Table = {
  name: 'theme_records',
  owner: 'source',
  columns: ['time', 'record'],
  row: ({ instant, values, time }) => [instant, recordText(KEYS, values, time)],
}

/** As people keep them: a row a record, a column an item, the time as it is shown. */
const HAND_WRITTEN_TABLE: Table = {
  name: 'records',
  owner: 'station',
  columns: ['time', ...ITEM_KEYS],
  row: ({ time, values }) => [time, ...values],
}

/** Puts records into the database of a data folder as the service itself writes them. */
export function fillService(folder: string, holdings: readonly Holding[]): void {
  const file = join(folder, 'plumbline.db')
  fill(file, SERVICE_TABLE, holdings)
  const database = new Sqlite(file)
  database.exec(`insert into theme_open_days (source, day, count)
    select source, time / 86400000, count(*) from theme_records group by 1, 2`)
  addChecksums(database)
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
}

export function fillHandWritten(file: string, holdings: readonly Holding[]): void {
  const database = new Sqlite(file)
  database.exec(`create table records (
    station integer not null, time text not null, x real, y real, z real,
    primary key (station, time)) without rowid`)
  database.close()
  fill(file, HAND_WRITTEN_TABLE, holdings)
}

/**
 * One station's records are made, the others are copies of it, in the order of the key.
 *
 * Nothing is synced on the way: what is measured starts afterwards.
 */
function fill(file: string, table: Table, holdings: readonly Holding[]): void {
  const columns = table.columns.join(', ')
  const database = new Sqlite(file)
  try {
    database.pragma('synchronous = OFF')
    database.pragma('temp_store = MEMORY')
    database.exec(`create temp table series (minute integer primary key, ${columns})`)
    const marks = table.columns.map(() => '?').join(', ')
    const insert = database.prepare(`insert into series values (?, ${marks})`)
    const longest = Math.max(...holdings.map(({ records }) => records))
    database.transaction(() => {
      let minute = 0
      for (const record of series(longest)) insert.run(minute++, ...table.row(record))
    })()

    const copy = database.prepare(`insert into ${table.name} (${table.owner}, ${columns})
      select ?, ${columns} from series where minute < ? order by minute`)
    for (const { stations, records } of holdings)
      for (const station of stations) copy.run(station, records)
    database.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    database.close()
  }
}
