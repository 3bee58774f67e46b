import Sqlite from 'better-sqlite3'
import { SITE_ZONE } from '../series.ts'
import type { SentRecord } from '../batches.ts'

/**
 * The limit of the engine: batches go into a file from one loop, each in a transaction that is
 * synced, with no network, no checks and no threads. Returns records a second.
 */
export function writeAlone(file: string, batches: readonly SentRecord[][]): number {
  const database = new Sqlite(file)
  try {
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = FULL')
    database.exec(`create table if not exists theme_records (
      source integer not null, time integer not null, record text not null,
      primary key (source, time)) without rowid`)
    const insert = database.prepare('insert into theme_records values (?, ?, ?)')
    const write = database.transaction((batch: readonly SentRecord[]) => {
      for (const { station, time, values } of batch)
        insert.run(station, SITE_ZONE.toInstant(time), JSON.stringify({ ...values, time }))
    })
    const start = performance.now()
    for (const batch of batches) write(batch)
    return (batches.flat().length / (performance.now() - start)) * 1000
  } finally {
    database.close()
  }
}
