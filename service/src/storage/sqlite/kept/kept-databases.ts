import { closeSync, openSync, readdirSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** A database as it was before its migration, and the version to which that one was migrated. */
export type KeptDatabase = { file: string; before: number }

/** The name of a kept database, beside that of the database itself. */
export const keptName = (database: string, version: number): string =>
  `${database}.before-${version}`

/** The databases that are kept in a folder, the one of the latest migration first. */
export function listKept(folder: string, database: string): KeptDatabase[] {
  const named = new RegExp(`^${RegExp.escape(database)}\\.before-(\\d+)$`)
  return readdirSync(folder)
    .flatMap((name) => {
      const before = named.exec(name)?.[1]
      return before === undefined ? [] : [{ file: join(folder, name), before: Number(before) }]
    })
    .toSorted((a, b) => b.before - a.before)
}

/** Removes all kept databases of a folder, half copied ones too; returns the files of whole ones. */
export function removeKept(folder: string, database: string): string[] {
  const kept = listKept(folder, database).map(({ file }) => file)
  for (const file of kept) rmSync(file, { force: true })
  for (const name of readdirSync(folder))
    if (name.startsWith(`${database}.before-`) && name.endsWith(PART))
      rmSync(join(folder, name), { force: true })
  return kept
}

/** The ending of a copy that is not whole yet. */
export const PART = '.part'

/** The place of `user_version` in a database file (https://www.sqlite.org/fileformat.html). */
const VERSION_OFFSET = 60
const MAGIC = 'SQLite format 3\0'

/** The version of a database file that no program has open; undefined where it is no database. */
export function versionOfFile(file: string): number | undefined {
  const header = Buffer.alloc(VERSION_OFFSET + 4)
  const descriptor = openSync(file, 'r')
  try {
    if (readSync(descriptor, header) < header.length) return undefined
  } finally {
    closeSync(descriptor)
  }
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined
  return header.readUInt32BE(VERSION_OFFSET)
}
