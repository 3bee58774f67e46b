import type { Database } from 'better-sqlite3'
import { FIXED_TABLES } from './fixed-rows.ts'

type SchemaObject = { name: string; type: string; sql: string }

/** Makes the tables of the database, and fills those whose rows a backup does not copy once only. */
export function copyOtherTables(database: Database): Map<string, number> {
  const objects = database
    .prepare<[], SchemaObject>(
      `select name, type, sql from live.sqlite_master
        where sql is not null and name not like 'sqlite\\_%' escape '\\' order by rowid`,
    )
    .all()
  const tables = objects.filter(({ type }) => type === 'table')
  const counts = new Map<string, number>()
  for (const { name, sql } of tables) {
    database.exec(sql)
    if (FIXED_TABLES.has(name)) continue
    copyTable(database, name)
    counts.set(name, countRows(database, name))
  }
  copySequences(database)
  // Made after the rows: sorted once, and no trigger runs.
  for (const type of ['index', 'view', 'trigger'])
    for (const { sql } of objects.filter((object) => object.type === type)) database.exec(sql)
  return counts
}

const countRows = (database: Database, table: string): number =>
  Number(database.prepare(`select count(*) from main."${table}"`).pluck().get())

/** With `*` SQLite copies cells instead of values; columns that it computes cannot be named so. */
function copyTable(database: Database, name: string): void {
  const columns = database
    .prepare<[string], { name: string; hidden: number }>(
      `select name, hidden from pragma_table_xinfo(?, 'live')`,
    )
    .all(name)
  const isPlain = columns.every(({ hidden }) => hidden === 0)
  const listed = columns.filter(({ hidden }) => hidden === 0).map((column) => `"${column.name}"`)
  database.exec(
    isPlain
      ? `insert into main."${name}" select * from live."${name}"`
      : `insert into main."${name}" (${listed.join(', ')}) select ${listed.join(', ')} from live."${name}"`,
  )
}

/** The last ids that were used, which deleted rows may have had. */
function copySequences(database: Database): void {
  database.exec('delete from main.sqlite_sequence')
  database.exec('insert into main.sqlite_sequence select * from live.sqlite_sequence')
}
