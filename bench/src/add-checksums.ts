import type { Database } from 'better-sqlite3'
import { checksumsOf, crcOf } from '../../service/src/encodings/record-checksum.ts'
import {
  CHECKSUM_COLUMNS,
  fromChecksum,
} from '../../service/src/storage/sqlite/integrity/checksum-rows.ts'

type Row = [time: number, record: string]

/** Gives checksums to the open theme records of a database that was filled from outside. */
export function addChecksums(database: Database): void {
  const sources = database.prepare<[], number>('select distinct source from theme_open_days')
  const rows = database.prepare<[number], Row>(
    'select time, record from theme_records where source = ? order by time',
  )
  const newest = database.prepare<[number], string>(
    'select record from theme_records where source = ? order by time desc limit 1',
  )
  const insert = database.prepare(`insert into theme_checksums (source, ${CHECKSUM_COLUMNS})
    values (?, ?, ?, ?, ?, ?, ?)`)
  const insertLast = database.prepare(`insert into theme_last_checksums
    (source, ${CHECKSUM_COLUMNS}, newest) values (?, ?, ?, ?, ?, ?, ?, ?)`)
  database.transaction(() => {
    for (const source of sources.pluck().all()) {
      const sums = checksumsOf(source, rows.raw().iterate(source))
      const last = sums.pop()
      const record = newest.pluck().get(source)
      if (last === undefined || record === undefined) continue
      for (const sum of sums) insert.run(source, ...fromChecksum(sum))
      insertLast.run(source, ...fromChecksum(last), crcOf(source, record))
    }
  })()
}
