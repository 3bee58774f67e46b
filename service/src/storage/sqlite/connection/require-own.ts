import type { Database } from 'better-sqlite3'
import { RefusedError } from '../../../errors/refused-error.ts'

/** Refuses a database with tables, but without the first one that every Plumbline makes. */
export function requireOwn(database: Database): void {
  const isForeign = database
    .prepare(
      `select count(*) > 0 and total(name = 'meta') = 0 from sqlite_master where type = 'table'`,
    )
    .pluck()
    .get()
  if (isForeign === 1)
    throw new RefusedError(
      'invalid',
      `The file ${database.name} is a database of another program: it has none of the tables of Plumbline. Choose another data folder with --data, or move the file away.`,
    )
}
