import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'

/** Tables whose rows a service changes by itself, or that name the database. */
const OWN = new Set(['leases', 'meta', 'sqlite_stat1', 'sqlite_stat4', 'sqlite_sequence'])

/** A checksum of all rows of each table, and the text of each index and trigger. */
export function readRows(folder: string): Record<string, string> {
  const database = new Sqlite(join(folder, 'plumbline.db'))
  try {
    const objects = database
      .prepare<[], { name: string; type: string; sql: string | null }>(
        `select name, type, sql from sqlite_master order by type, name`,
      )
      .all()
    return Object.fromEntries(
      objects.flatMap(({ name, type, sql }) => {
        if (OWN.has(name) || name.startsWith('sqlite_autoindex')) return []
        return [[`${type} ${name}`, type === 'table' ? rowsOf(database, name) : `${sql}`]]
      }),
    )
  } finally {
    database.close()
  }
}

function rowsOf(database: Sqlite.Database, table: string): string {
  const hash = createHash('sha256')
  let count = 0
  const rows = database.prepare<[], unknown[]>(`select * from "${table}"`).raw().all()
  // Tables without a key of their own may come in another order.
  const texts = rows.map((row) => JSON.stringify(row.map(textOf))).toSorted()
  for (const text of texts) {
    hash.update(text)
    count++
  }
  return `${count} rows ${hash.digest('hex')}`
}

const textOf = (value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value

/** Both folders have the same rows, indexes and triggers. */
export function assertSameRows(restored: string, expected: Record<string, string>): void {
  assert.deepEqual(readRows(restored), expected)
}
