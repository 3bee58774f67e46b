import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import Sqlite from 'better-sqlite3'
import { migrate } from '../../src/storage/postgres/migrations/migrate.ts'
import { MIGRATIONS } from '../../src/storage/sqlite/migrations/all-migrations.ts'
import { newDatabase } from '../_postgres.ts'
import { connect, rowsOf } from './_postgres-connection.ts'

/** What only a file needs: checksums, and chunks of compressed records. */
const ONLY_SQLITE = /^(\w+_(last_)?checksums|row_sums|schema_objects|\w+_sealed_chunks)\b/

/** What only a server with several writers needs, or without checksums, and the compressed records. */
const ONLY_POSTGRES =
  /^((theme|raw)_sources|\w+_parts_by|schema_version|(alarm_count|reject_byte)_parts|\w+_sealed_parts deflated|\w+_open_days (first|last))\b/

/** Tables of SQLite that are views in PostgreSQL. */
const VIEWS = /^(alarm_counts|reject_bytes)\b/

const TYPES: Readonly<Record<string, string>> = {
  INTEGER: 'bigint',
  REAL: 'double precision',
  TEXT: 'text',
  BLOB: 'bytea',
}

function readSqlite() {
  const database = new Sqlite(':memory:')
  for (const { statements } of MIGRATIONS)
    for (const statement of statements) database.exec(statement)
  const list = (sql: string) => database.prepare(sql).raw().all() as string[][]
  const columns = list(`select m.name, c.name, c.type, c."notnull" or c.pk > 0
    from sqlite_master as m, pragma_table_info(m.name) as c
    where m.type = 'table' and m.name not like 'sqlite%'`)
  const keys = list(`select m.name, c.name from sqlite_master as m, pragma_table_info(m.name) as c
    where m.type = 'table' and c.pk > 0 order by m.name, c.pk`)
  const indexes = list(`select m.name, i.name, i."unique",
      (select group_concat(name, ', ') from (select name from pragma_index_info(i.name) order by seqno)),
      (select sql from sqlite_master as s where s.name = i.name)
    from sqlite_master as m, pragma_index_list(m.name) as i where m.type = 'table' and i.origin <> 'pk'`)
  database.close()
  return {
    columns: columns.map(
      ([table, name, type = '', required]) =>
        `${table} ${name} ${TYPES[type.toUpperCase()]}${Number(required) === 1 ? ' not null' : ''}`,
    ),
    keys: Map.groupBy(keys, ([table]) => table)
      .entries()
      .map(([table, rows]) => `${table} (${rows.map(([, name]) => name).join(', ')})`)
      .toArray(),
    indexes: indexes.map(([table, , unique, names, sql]) =>
      describeIndex(table!, Number(unique) === 1, names!, / where (.*)$/s.exec(sql ?? '')?.[1]),
    ),
  }
}

const describeIndex = (table: string, isUnique: boolean, columns: string, where = ''): string =>
  `${table} ${isUnique ? 'unique ' : ''}(${columns}) ${where
    .toLowerCase()
    .replaceAll(/[()]|::text/g, '')
    .trim()}`.trim()

const left = (lines: readonly string[], pattern: RegExp): string[] =>
  lines.filter((line) => !pattern.test(line)).toSorted()

describe('the tables of PostgreSQL are those of SQLite', async () => {
  await using database = await newDatabase()
  await using connection = await connect(database.url)
  await migrate(connection, { migrating: 'allow' })
  const rows = async (sql: string) => (await rowsOf(connection, sql)).map((row) => row.map(String))
  const sqlite = readSqlite()

  const columns = (
    await rows(`select table_name, column_name, data_type, (is_nullable = 'NO')::int
      from information_schema.columns where table_schema = 'public'`)
  ).map(
    ([table, name, type, required]) =>
      `${table} ${name} ${type}${required === '1' ? ' not null' : ''}`,
  )
  const indexes =
    await rows(`select relname, (indisunique or indisexclusion)::int, indisprimary::int,
      (select string_agg(attname, ', ' order by at) from unnest(indkey) with ordinality as k (number, at)
        join pg_attribute on attrelid = indrelid and attnum = number),
      coalesce(pg_get_expr(indpred, indrelid), '')
    from pg_index join pg_class on pg_class.oid = indrelid
    where relnamespace = 'public'::regnamespace`)
  const collations = await rows(`select table_name, column_name, coalesce(collation_name, 'default')
    from information_schema.columns where table_schema = 'public' and data_type = 'text'`)

  test('with the same columns', () => {
    const views = left(columns, /^(?!alarm_counts|reject_bytes)/)

    assert.deepEqual(
      left(left(columns, ONLY_POSTGRES), VIEWS),
      left(left(sqlite.columns, ONLY_SQLITE), VIEWS),
    )
    // Columns of views are never declared as required.
    assert.deepEqual(
      views,
      left(sqlite.columns, /^(?!alarm_counts|reject_bytes)/).map((line) =>
        line.replace(' not null', ''),
      ),
    )
  })

  test('with the same keys', () => {
    const keys = indexes
      .filter(([, , isPrimary]) => isPrimary === '1')
      .map(([table, , , names]) => `${table} (${names})`)

    assert.deepEqual(left(keys, ONLY_POSTGRES), left(left(sqlite.keys, ONLY_SQLITE), VIEWS))
  })

  test('with the same indexes', () => {
    const others = indexes
      .filter(([, , isPrimary]) => isPrimary !== '1')
      .map(([table, unique, , names, where]) =>
        describeIndex(table!, unique === '1', names!, where),
      )

    assert.deepEqual(left(others, ONLY_POSTGRES), left(left(sqlite.indexes, ONLY_SQLITE), VIEWS))
  })

  test('with texts that compare by their bytes', () => {
    assert.deepEqual(
      collations.filter(([, , collation]) => collation !== 'C'),
      [],
    )
  })
})
