import type { Database } from 'better-sqlite3'
import { crc32 } from 'node:zlib'
import { ensureGuards } from './guards.ts'
import { DamageError } from '../../domain/damage-error.ts'

const SCHEMA = `select group_concat(type || name || sql, ';') from
  (select * from sqlite_master where name not like 'sqlite%' and name not like '%autoindex%'
    order by type, name)`

/**
 * Throws where tables, indexes or triggers are not those that were made.
 *
 * After migrations, which forget what they were, guards are made and all of it is noted anew.
 */
export function checkSchema(database: Database): void {
  const [known, current] = database.transaction(() => [noted(database), crcOf(database)])()
  if (known === current) return
  if (known !== undefined)
    throw new DamageError(
      'The schema of the database is not the one that was made. Restore the database from a backup.',
    )
  database
    .transaction(() => {
      ensureGuards(database)
      database
        .prepare(
          `insert into meta (key, value) values ('schema', ?)
            on conflict (key) do update set value = excluded.value`,
        )
        .run(crcOf(database))
    })
    .immediate()
}

/** Within the transaction that changes tables. */
export function forgetSchema(database: Database): void {
  const hasMeta = database.prepare(`select 1 from sqlite_master where name = 'meta'`).get()
  if (hasMeta !== undefined) database.exec(`delete from meta where key = 'schema'`)
}

const noted = (database: Database): number | undefined =>
  database.prepare(`select value from meta where key = 'schema'`).pluck().get() as
    number | undefined

const crcOf = (database: Database): number =>
  crc32(database.prepare(SCHEMA).pluck().get() as string)
