import type { Database } from 'better-sqlite3'
import { crc32 } from 'node:zlib'
import { RefusedError } from '../../domain/refused-error.ts'
import { dropGuards } from './guards.ts'
import { checkSchema, forgetSchema } from './schema-check.ts'
import { MIGRATIONS } from './migrations/index.ts'

/** Brings a database up to date, each step in a transaction of its own; returns their names. */
export function migrate(database: Database): string[] {
  const seen = database.pragma('user_version', { simple: true }) as number
  if (seen > MIGRATIONS.length)
    throw new RefusedError(
      'unavailable',
      `The database was written by a newer Plumbline: it knows ${seen} migrations, this program ${MIGRATIONS.length}. Install that version or restore a backup made before the upgrade.`,
    )

  // What is stored anew gets its checksum on the way.
  database.function('crc32', { deterministic: true }, (bytes: Uint8Array) => crc32(bytes))
  const names = MIGRATIONS.slice(seen).map(({ name, statements, run }, index) => {
    database
      .transaction(() => {
        // Another process may have been here first.
        if (database.pragma('user_version', { simple: true }) !== seen + index) return
        dropGuards(database)
        forgetSchema(database)
        for (const statement of statements) database.exec(statement)
        run?.(database)
        database.pragma(`user_version = ${seen + index + 1}`)
      })
      .immediate()
    return name
  })
  checkSchema(database)
  return names
}
