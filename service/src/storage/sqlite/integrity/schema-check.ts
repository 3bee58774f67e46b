import type { Database } from 'better-sqlite3'
import { crc32 } from 'node:zlib'
import { DamageError } from '../../../errors/damage-error.ts'

type Part = { name: string; type: string; crc: number }

/** Notes what there is, within the transaction that made it. */
export function noteSchema(database: Database): void {
  database.exec('delete from schema_objects')
  const insert = database.prepare('insert into schema_objects (name, type, crc) values (?, ?, ?)')
  for (const { name, type, crc } of listParts(database)) insert.run(name, type, crc)
}

/**
 * Throws where a table, an index or a trigger that migrations made is missing or altered; returns
 * sentences about those that somebody else made.
 */
export function checkSchema(database: Database): string[] {
  const look = () => ({ made: listMade(database), parts: listParts(database) })
  const { made, parts } = database.transaction(look)()
  const found = new Map(parts.map((part) => [part.name, part]))
  for (const { name, type, crc } of made) {
    const part = found.get(name)
    if (part !== undefined && part.type === type && part.crc === crc) continue
    const state = part === undefined ? 'missing' : 'not the one that was made'
    throw new DamageError(
      `The schema of the database is damaged: the ${type} ${name} is ${state}. Restore the database from a backup.`,
    )
  }
  const known = new Set(made.map(({ name }) => name))
  return parts
    .filter(({ name }) => !known.has(name))
    .map(({ name, type }) => `Plumbline did not make the ${type} ${name} of the database.`)
}

const listMade = (database: Database): Part[] =>
  database.prepare('select name, type, crc from schema_objects order by name').all() as Part[]

/** Without those of SQLite itself. */
function listParts(database: Database): Part[] {
  const sql = `select name, type, tbl_name as owner, sql from sqlite_master
    where name not like 'sqlite\\_%' escape '\\' order by name`
  const rows = database.prepare(sql).all() as {
    [Key in 'name' | 'type' | 'owner' | 'sql']: string
  }[]
  return rows.map(({ name, type, owner, sql: text }) => {
    return { name, type, crc: crc32(`${type} ${owner} ${text}`) }
  })
}
