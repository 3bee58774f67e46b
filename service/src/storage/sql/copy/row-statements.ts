import type { Dialect } from '../dialect.ts'
import type { Statement } from '../statement.ts'
import type { CopiedTable } from './copied-tables.ts'
import type { Column, Row } from './copy-side.ts'

/** Deletes rows, of which the key is given. */
export function deleteRows(
  table: CopiedTable,
  columns: readonly Column[],
  rows: readonly Row[],
): Statement[] {
  if (rows.length === 0) return []
  const { name, key, records } = table
  const keys = rows.map((row) => row.slice(0, key.length))
  if (records !== undefined)
    return [
      {
        sql: `delete from ${name} where source = ? and time between ? and ?`,
        width: 3,
        values: keys.flatMap(([source, time]) => [source, time, time]),
        checked: { kind: records, as: 'spans' },
        set: {
          sql: `delete from ${name} using @given where source = c1 and time between c2 and c3`,
          types: ['bigint', 'bigint', 'bigint'],
        },
      },
    ]
  return [
    {
      sql: `delete from ${name} where ${key.map((column) => `${column} = ?`).join(' and ')}`,
      width: key.length,
      values: keys.flat(),
      set: {
        sql: `delete from ${name} using @given
          where ${key.map((column, at) => `${name}.${column} = c${at + 1}`).join(' and ')}`,
        types: typesOf(columns.slice(0, key.length)),
      },
    },
  ]
}

/** Inserts rows of which no key is stored. */
export function insertRows(
  dialect: Dialect,
  table: CopiedTable,
  columns: readonly Column[],
  rows: readonly Row[],
): Statement[] {
  if (rows.length === 0) return []
  if (table.parts === undefined) return [insert(table, columns, rows)]
  const width = columns.length
  const { parts, name } = table
  const bytes = rows.map((row) => asBytes(row[width]))
  if (dialect.insertSealedBytes === undefined) {
    const deflated: Column = { name: 'deflated', type: 'bytea' }
    return [insert(table, [...columns, deflated], rows)]
  }
  const at = ['source', 'start'].map((of) => columns.findIndex((column) => column.name === of))
  const [sourceAt = -1, startAt = -1] = at
  const chunks = rows.flatMap((row, place) => {
    const part = { start: Number(row[startAt]), deflated: bytes[place] ?? new Uint8Array() }
    return dialect.insertSealedBytes?.(parts, Number(row[sourceAt]), [part]) ?? []
  })
  const own = rows.map((row) => row.slice(0, width))
  return [insert({ ...table, name }, columns, own), ...chunks]
}

function insert(table: CopiedTable, columns: readonly Column[], rows: readonly Row[]): Statement {
  const into = `insert into ${table.name} (${columns.map(({ name }) => name).join(', ')})`
  const row = `(${columns.map(() => '?').join(', ')})`
  return {
    sql: `${into} values ${row}`,
    width: columns.length,
    values: rows.flat(),
    ...(table.records === undefined
      ? { repeated: row }
      : { checked: { kind: table.records, as: 'records' } }),
    set: {
      sql: `${into} select ${columns.map((_, at) => `c${at + 1}`).join(', ')} from @given`,
      types: typesOf(columns),
    },
  }
}

/** Replaces the stored rows of the same keys. */
export function upsertRows(
  table: CopiedTable,
  columns: readonly Column[],
  rows: readonly Row[],
): Statement[] {
  if (rows.length === 0) return []
  const { repeated: _repeated, ...statement } = insert(table, columns, rows)
  const others = columns.slice(table.key.length).map(({ name }) => `${name} = excluded.${name}`)
  const onConflict = ` on conflict (${table.key.join(', ')}) do update set ${others.join(', ')}`
  const { set } = statement
  return [
    {
      ...statement,
      sql: statement.sql + onConflict,
      ...(set === undefined ? {} : { set: { ...set, sql: set.sql + onConflict } }),
    },
  ]
}

const typesOf = (columns: readonly Column[]) => columns.map(({ type }) => type)

const asBytes = (value: Row[number] | undefined): Uint8Array =>
  value instanceof Uint8Array ? value : new Uint8Array()
