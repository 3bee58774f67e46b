import type { Reader } from '../connection/reader.ts'
import { DamageError } from '../../../errors/damage-error.ts'

/** The lines of SQLite about what is wrong in the file; none for a sound one. */
export function inspectFile(reader: Reader): string[] {
  try {
    return check(reader, '100')
  } catch (error) {
    if (error instanceof DamageError) return inspectTables(reader, error)
    throw error
  }
}

/** The table or index whose pages begin at a page; undefined where the schema cannot be read. */
export function findTree(reader: Reader, page: number): string | undefined {
  try {
    return reader.row<[string]>('select name from sqlite_master where rootpage = ?', page)?.[0]
  } catch (error) {
    if (error instanceof DamageError) return undefined
    throw error
  }
}

/** Checks the tables one by one, for a file that cannot be checked as a whole. */
function inspectTables(reader: Reader, whole: DamageError): string[] {
  const names = reader.rows<[string]>(
    `select name from sqlite_master where type = 'table' and rootpage > 0 order by name`,
  )
  const damaged = names.filter(([name]) => isDamaged(reader, name))
  if (damaged.length === 0) return [whole.message]
  return damaged.map(([name]) => `the table ${name} is malformed`)
}

function isDamaged(reader: Reader, table: string): boolean {
  try {
    return check(reader, `'${table.replaceAll("'", "''")}'`).length > 0
  } catch (error) {
    if (error instanceof DamageError) return true
    throw error
  }
}

const check = (reader: Reader, what: string): string[] =>
  reader
    .rows<[string]>(`pragma integrity_check(${what})`)
    .map(([line]) => line)
    .filter((line) => line !== 'ok')
