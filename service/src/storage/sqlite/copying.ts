import { GUARDED_NAMES } from '../sql/guarded-tables.ts'
import type { Column, ColumnType, CopyDialect } from '../sql/copy/copy-side.ts'

const TYPES: Readonly<Record<string, ColumnType>> = {
  INTEGER: 'bigint',
  TEXT: 'text',
  BLOB: 'bytea',
  REAL: 'double precision',
}

/** How the tables of SQLite are copied. */
export const copying: CopyDialect = {
  async listColumns(reader) {
    const rows = await reader.rows<[table: string, name: string, type: string]>(
      `select tables.name, columns.name, upper(columns.type)
        from sqlite_master as tables join pragma_table_info(tables.name) as columns
        where tables.type = 'table' order by tables.name, columns.cid`,
    )
    const tables = new Map<string, Column[]>()
    for (const [table, name, type] of rows)
      tables.getOrInsertComputed(table, () => []).push({ name, type: TYPES[type] ?? 'text' })
    return tables
  },

  // The sums by which damaged rows are found change with each of them.
  async readStamps(reader, tables) {
    const sql = `select name, sum(count) || ' ' || sum(total) from row_sums group by name`
    const sums = new Map(await reader.rows<[string, string]>(sql))
    return new Map(
      GUARDED_NAMES.filter((name) => tables.includes(name)).map((name) => [
        name,
        sums.get(name) ?? '',
      ]),
    )
  },

  async findLastId(reader, table) {
    const sql = `select seq from sqlite_sequence where name = ?`
    return (await reader.rows<[number]>(sql, table))[0]?.[0] ?? 0
  },

  setLastId: (table, _key, last) => [
    {
      sql: `insert into sqlite_sequence (name, seq) select name, 0 from sqlite_master
        where name = ? and sql like '%autoincrement%'
          and name not in (select name from sqlite_sequence)`,
      width: 1,
      values: [table],
    },
    {
      sql: `update sqlite_sequence set seq = max(seq, cast(? as integer)) where name = ?`,
      width: 2,
      values: [last, table],
    },
  ],
}
