import type { Database } from 'better-sqlite3'
import { setImmediate } from 'node:timers/promises'
import { registerFunctions } from '../connection/sql-functions.ts'
import { syncFile } from '../../sync-to-disk.ts'
import { attachForReading, openUnfinished } from './attach.ts'
import { FIXED_ROWS } from './fixed-rows.ts'

type DatabaseRestore = {
  /** A copy of the database file of the backup, which becomes the whole database. */
  file: string
  places: string
  /** The file of each segment by its name. */
  fileOf(segment: string): string
  signal: AbortSignal
}

/** Adds the rows of the segments to the other tables of a backup. */
export async function restoreDatabase(restore: DatabaseRestore): Promise<void> {
  const database = openUnfinished(restore.file)
  try {
    registerFunctions(database)
    attachForReading(database, restore.places, 'places')
    const triggers = takeTriggers(database)
    for (const { number, name } of listSegments(database)) {
      attachForReading(database, restore.fileOf(name), 'segment')
      copySegment(database, number)
      database.exec('detach segment')
      await setImmediate()
      restore.signal.throwIfAborted()
    }
    for (const trigger of triggers) database.exec(trigger)
  } finally {
    database.close()
  }
  syncFile(restore.file)
}

const listSegments = (database: Database): { number: number; name: string }[] =>
  database
    .prepare<[], { number: number; name: string }>(
      'select number, name from places.segments order by number',
    )
    .all()

/** Drops all triggers, which would count the rows again; returns what makes them. */
function takeTriggers(database: Database): string[] {
  const triggers = database
    .prepare<[], { name: string; sql: string }>(
      `select name, sql from main.sqlite_master where type = 'trigger' order by rowid`,
    )
    .all()
  for (const { name } of triggers) database.exec(`drop trigger "${name}"`)
  return triggers.map(({ sql }) => sql)
}

function copySegment(database: Database, number: number): void {
  for (const { kind, tables } of FIXED_ROWS) {
    const count = database.prepare(`select count(*) from places.${kind} where segment = ?`)
    if (Number(count.pluck().get(number)) === 0) continue
    for (const { name, column, factor } of tables)
      database
        .prepare(
          `insert into main.${name} select * from segment.${name}
            where ${column} / ${factor} in (select id from places.${kind} where segment = ?)
            order by ${column}`,
        )
        .run(number)
  }
}
