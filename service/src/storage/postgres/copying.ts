import type { Column, ColumnType, CopyDialect } from '../sql/copy/copy-side.ts'

/** How the tables of PostgreSQL are copied. */
export const copying: CopyDialect = {
  async listColumns(reader) {
    const rows = await reader.rows<[table: string, name: string, type: ColumnType]>(
      `select tables.relname::text, columns.attname::text, columns.atttypid::regtype::text
        from pg_class as tables join pg_attribute as columns on columns.attrelid = tables.oid
        where tables.relkind in ('r', 'p') and tables.relnamespace = current_schema()::regnamespace
          and columns.attnum > 0 and not columns.attisdropped
        order by tables.relname, columns.attnum`,
    )
    const tables = new Map<string, Column[]>()
    for (const [table, name, type] of rows)
      tables.getOrInsertComputed(table, () => []).push({ name, type })
    return tables
  },

  // All rows of a transaction become visible at once, and a changed row is one of the transaction that
  // changed it: other visible rows have other transactions, whenever these began.
  async readStamps(reader, tables) {
    const stamps = new Map<string, string>()
    for (const table of tables) {
      const sql = `select concat(count(*), ' ', sum(hashint8extended(xmin::text::bigint, 0)))
        from ${table}`
      for (const [stamp] of await reader.rows<[string]>(sql)) stamps.set(table, stamp)
    }
    return stamps
  },

  async findLastId(reader, table, key) {
    const sql = `select coalesce(pg_sequence_last_value(pg_get_serial_sequence(?, ?)::regclass), 0)`
    return (await reader.rows<[number]>(sql, table, key))[0]?.[0] ?? 0
  },

  setLastId: (table, key, last) => [
    {
      sql: `select setval(pg_get_serial_sequence(?, ?), ?)`,
      width: 3,
      values: [table, key, last],
    },
  ],
}

/** The same for tables of Citus: of rows on other servers the transactions mean nothing here. */
export const copyingDistributed: CopyDialect = { ...copying, readStamps: async () => new Map() }
