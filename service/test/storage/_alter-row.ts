import { join } from 'node:path'
import Sqlite from 'better-sqlite3'

type Row = Record<string, bigint | string | Buffer>

/** A row of one of the tables that is deleted, or of which one bit flips. */
export type Damage = { table: number; row: number; bit: { column: number; place: number } | null }

/** Without those whose rows have sums of their own, kept by triggers. */
const TABLES = [
  'records',
  'checksums',
  'last_checksums',
  'open_days',
  'open_hours',
  'sealed_chunks',
]

/** Alters one row of the file; returns how, or undefined where there is no such row. */
export function alterRow(folder: string, { table, row, bit }: Damage): string | undefined {
  using database = new DisposableDatabase(join(folder, 'plumbline.db'))
  const name = `theme_${TABLES[table % TABLES.length]!}`
  const rows = database.list(`select * from ${name}`)
  const found = rows[row % Math.max(1, rows.length)]
  if (found === undefined) return undefined
  const keys = database.list(`select name from pragma_table_info('${name}') where pk > 0`)
  const names = keys.map((key) => String(key['name']))
  const where = names.map((key) => `${key} = ?`).join(' and ')
  const place = names.map((key) => found[key])
  if (bit === null) {
    database.run(`delete from ${name} where ${where}`, place)
    return `${name} without the row ${place.join()}`
  }
  const column = Object.keys(found)[bit.column % Object.keys(found).length]!
  const value = turned(found[column]!, bit.place)
  const set = typeof found[column] === 'string' ? 'cast(? as text)' : '?'
  try {
    database.run(`update ${name} set ${column} = ${set} where ${where}`, [value, ...place])
  } catch {
    // Such a row is there already.
    return undefined
  }
  return `${name} with another ${column} in the row ${place.join()}`
}

function turned(value: bigint | string | Buffer, place: number): bigint | Buffer {
  if (typeof value === 'bigint') return value ^ (1n << BigInt(place % 45))
  const bytes = Buffer.from(value)
  bytes[(place >> 3) % bytes.length]! ^= 1 << (place & 7)
  return bytes
}

class DisposableDatabase {
  readonly #database: Sqlite.Database

  constructor(file: string) {
    this.#database = new Sqlite(file)
    this.#database.defaultSafeIntegers()
  }

  list(sql: string): Row[] {
    return this.#database.prepare(sql).all() as Row[]
  }

  run(sql: string, values: readonly unknown[]): void {
    this.#database.prepare(sql).run(...values)
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }
}
