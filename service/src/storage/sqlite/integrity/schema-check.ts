import type { Database } from 'better-sqlite3'
import { crc32 } from 'node:zlib'
import { DamageError } from '../../../errors/damage-error.ts'

type SchemaObject = { name: string; type: string; crc: number }

/** Stores a checksum of every table, index and trigger; runs in the transaction that made them. */
export function noteSchema(database: Database): void {
  database.exec('delete from schema_objects')
  const insert = database.prepare('insert into schema_objects (name, type, crc) values (?, ?, ?)')
  for (const { name, type, crc } of listObjects(database)) insert.run(name, type, crc)
}

/**
 * Throws where a table, an index or a trigger that migrations made is missing or altered; returns a
 * sentence about each one that migrations did not make.
 */
export function checkSchema(database: Database): string[] {
  const read = () => ({ made: listMade(database), objects: listObjects(database) })
  const { made, objects } = database.transaction(read)()
  const found = new Map(objects.map((object) => [object.name, object]))
  for (const { name, type, crc } of made) {
    const object = found.get(name)
    if (object !== undefined && object.type === type && object.crc === crc) continue
    const state = object === undefined ? 'missing' : 'not the one that was made'
    throw new DamageError(
      `The schema of the database is damaged: the ${type} ${name} is ${state}. Restore the database from a backup.`,
    )
  }
  const known = new Set(made.map(({ name }) => name))
  return objects
    .filter(({ name }) => !known.has(name))
    .map(({ name, type }) => `The ${type} ${name} of the database was not created by Plumbline.`)
}

const listMade = (database: Database): SchemaObject[] =>
  database
    .prepare<[], SchemaObject>('select name, type, crc from schema_objects order by name')
    .all()

/** All objects but those of SQLite itself. */
function listObjects(database: Database): SchemaObject[] {
  const sql = `select name, type, tbl_name as owner, sql from sqlite_master
    where name not like 'sqlite\\_%' escape '\\' order by name`
  const rows = database.prepare<[], Record<'name' | 'type' | 'owner' | 'sql', string>>(sql).all()
  return rows.map(({ name, type, owner, sql: text }) => {
    return { name, type, crc: crc32(`${type} ${owner} ${text}`) }
  })
}
