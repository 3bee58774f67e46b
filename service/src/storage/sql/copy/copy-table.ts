import type { Statement } from '../statement.ts'
import type { CopiedTable } from './copied-tables.ts'
import { compareRows, type Difference, type KeyRange } from './compare-rows.ts'
import type { Column, CopySide, Row } from './copy-side.ts'
import type { CopyWriter } from './copy-writer.ts'
import { deleteRows, insertRows, upsertRows } from './row-statements.ts'

/** A copy under way. */
export type Copy = {
  from: CopySide
  to: CopySide
  writer: CopyWriter
  /** The columns of each table, the key first. */
  columns: ReadonlyMap<string, readonly Column[]>
  signal: AbortSignal
  /** Receives the number of rows that were read in the source. */
  onRows(rows: number): void
}

/**
 * Makes the rows of a table in the target those of the source; returns whether none has to wait for the next
 * pass.
 */
export async function copyTable(
  copy: Copy,
  table: CopiedTable,
  range?: KeyRange,
): Promise<boolean> {
  const { from, to, writer, onRows } = copy
  const columns = copy.columns.get(table.name) ?? []
  const names = columns.map(({ name }) => name)
  const compared =
    table.compared === undefined ? names : names.filter((name) => isCompared(table, name))
  const query = { table, columns: compared, range }
  if (table.isUnique === true) {
    for await (const found of compareRows(from, to, query)) {
      copy.signal.throwIfAborted()
      await writer.add(deleteRows(table, columns, rowsOf(found, 'gone')))
    }
    await writer.flush()
  }
  let isWhole = true
  for await (const found of compareRows(from, to, query, onRows)) {
    copy.signal.throwIfAborted()
    const { statements, left } = await changesOf(copy, table, columns, found)
    if (left > 0) isWhole = false
    await writer.add(statements)
  }
  return isWhole
}

/** The statements that make differences disappear, and the number of rows that have to wait. */
async function changesOf(
  copy: Copy,
  table: CopiedTable,
  columns: readonly Column[],
  found: readonly Difference[],
): Promise<{ statements: Statement[]; left: number }> {
  const changed = rowsOf(found, 'changed')
  const added = rowsOf(found, 'new')
  // A part with other bytes is another one.
  const [gone, updated] =
    table.parts === undefined
      ? [rowsOf(found, 'gone'), await loadRows(copy, table, columns, changed)]
      : [[...rowsOf(found, 'gone'), ...changed], []]
  const created = table.parts === undefined ? added : rowsOf(found, 'new', 'changed')
  const loaded = await loadRows(copy, table, columns, created)
  const rows = await withParents(copy, table, columns, loaded)
  const statements = [
    ...deleteRows(table, columns, gone),
    ...upsertRows(table, columns, updated),
    ...insertRows(copy.to.dialect, table, columns, rows),
  ]
  return { statements, left: loaded.length - rows.length }
}

const rowsOf = (found: readonly Difference[], ...kinds: readonly Difference['kind'][]): Row[] =>
  found.filter(({ kind }) => kinds.includes(kind)).map(({ row }) => row)

const isCompared = ({ key, compared = [] }: CopiedTable, name: string): boolean =>
  key.includes(name) || compared.includes(name)

/** Rows with all columns, and the compressed records of parts; rows that are gone meanwhile are left out. */
async function loadRows(
  { from }: Copy,
  table: CopiedTable,
  columns: readonly Column[],
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (table.compared === undefined || rows.length === 0) return rows
  const [key] = table.key
  const ids = rows.map(([id]) => Number(id))
  const names = columns.map(({ name }) => name)
  const bytes = table.parts === undefined ? [] : [from.dialect.sealedBytes(table.parts)]
  const among = from.dialect.isAmong(key, ids)
  return from.rows<Row>(
    `select ${[...names, ...bytes].join(', ')} from ${table.name} where ${among.sql} order by ${key}`,
    ...among.values,
  )
}

/** Rows that came with a row of another table after that one was copied wait for the next pass. */
async function withParents(
  { to, writer }: Copy,
  { parent }: CopiedTable,
  columns: readonly Column[],
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (parent === undefined || rows.length === 0) return rows
  await writer.flush()
  const at = columns.findIndex(({ name }) => name === parent.column)
  const known = new Set<unknown>()
  const wanted = new Set(rows.map((row) => row[at] ?? null))
  const numbers = [...wanted].filter((id) => typeof id === 'number')
  if (numbers.length > 0) {
    const among = to.dialect.isAmong(parent.key, numbers)
    const sql = `select ${parent.key} from ${parent.table} where ${among.sql}`
    for (const [id] of await to.rows<[number]>(sql, ...among.values)) known.add(id)
  } else
    for (const id of wanted) {
      const sql = `select 1 from ${parent.table} where ${parent.key} = ?`
      if ((await to.rows(sql, id)).length > 0) known.add(id)
    }
  return rows.filter((row) => known.has(row[at] ?? null))
}
