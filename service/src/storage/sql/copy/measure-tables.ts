import { COPIED_TABLES, openRecords, RECORD_KINDS, type CopiedTable } from './copied-tables.ts'
import type { CopySide } from './copy-side.ts'

/** The rows of a table and their bytes, roughly. */
export type TableSize = { table: string; rows: number; bytes: number }

const NUMBER_BYTES = 8

const ALL = [...COPIED_TABLES, ...RECORD_KINDS.map(openRecords)]

/** The number of rows that a pass reads in a storage. */
export async function countTables(side: CopySide): Promise<number> {
  let count = 0
  for (const table of ALL)
    for (const [rows] of await side.rows<[number]>(`select count(*) ${fromOf(table)}`))
      count += rows
  return count
}

/** The same with every record of sealed parts, which a comparison reads. */
export async function countRecords(side: CopySide): Promise<number> {
  let count = await countTables(side)
  for (const kind of RECORD_KINDS) {
    const sql = `select coalesce(sum(count), 0) from ${kind}_sealed_parts`
    for (const [records] of await side.rows<[number]>(sql)) count += Number(records)
  }
  return count
}

/** The tables that have rows, in the order in which they are copied. */
export async function measureTables(side: CopySide): Promise<TableSize[]> {
  const columns = await side.listColumns()
  const sizes: TableSize[] = []
  for (const table of ALL) {
    const lengths = (columns.get(table.name) ?? []).map(({ name, type }) =>
      type === 'text' || type === 'bytea'
        ? `coalesce(octet_length(${name}), 0)`
        : String(NUMBER_BYTES),
    )
    if (table.parts !== undefined && side.dialect.insertSealedBytes !== undefined)
      lengths.push(`octet_length(${side.dialect.sealedBytes(table.parts)})`)
    const sql = `select count(*), coalesce(sum(${lengths.join(' + ')}), 0) ${fromOf(table)}`
    for (const [rows, bytes] of await side.rows<[number, number]>(sql))
      if (rows > 0) sizes.push({ table: table.name, rows, bytes: Number(bytes) })
  }
  return sizes
}

const fromOf = ({ name, where }: CopiedTable): string =>
  `from ${name}${where === undefined ? '' : ` where ${where}`}`
