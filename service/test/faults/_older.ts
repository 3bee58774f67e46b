import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import Sqlite from 'better-sqlite3'
import { MIGRATIONS } from '../../src/storage/sqlite/migrations/index.ts'

export const LATEST = MIGRATIONS.length
export const OLDER = LATEST - 2

/** Does something to the database of a data folder, from outside. */
export function change(folder: string, alter: (database: Sqlite.Database) => void): void {
  const database = new Sqlite(join(folder, 'plumbline.db'))
  alter(database)
  database.close()
}

/** Makes a data folder as an older program left it. */
export async function makeOlder(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 })
  change(folder, (database) => {
    database.pragma('journal_mode = WAL')
    database.function('crc32', (bytes: Uint8Array) => crc32(bytes))
    for (const { statements } of MIGRATIONS.slice(0, OLDER))
      for (const statement of statements) database.exec(statement)
    database.pragma(`user_version = ${OLDER}`)
  })
  await chmod(join(folder, 'plumbline.db'), 0o600)
}
