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
