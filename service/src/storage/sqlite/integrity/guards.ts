import type { Database } from 'better-sqlite3'
import { GUARDED_NAMES, GUARDED_TABLES, type GuardedName } from '../../sql/guarded-tables.ts'

const EVENTS = ['insert', 'update', 'delete'] as const

/** Drops the guards before tables change; `ensureGuards` creates them again. */
export function dropGuards(database: Database): void {
  for (const { name } of listTriggers(database)) database.exec(`drop trigger ${name}`)
}

/** Guards all tables. Of those that were not guarded, the rows are counted and added up as they are. */
export function ensureGuards(database: Database): void {
  const known = new Map(listTriggers(database).map(({ name, sql }) => [name, sql]))
  const missing = GUARDED_NAMES.filter((name) =>
    triggersOf(database, name).some((trigger) => known.get(trigger.name) !== trigger.sql),
  )
  if (missing.length === 0) return
  for (const name of missing) {
    for (const trigger of triggersOf(database, name)) {
      database.exec(`drop trigger if exists ${trigger.name}`)
      database.exec(trigger.sql)
    }
    database.prepare(`delete from row_sums where name = ?`).run(name)
    database.exec(`insert into row_sums ${groupsSql(namesOf(database), name, 'true')}`)
  }
}

type GuardTrigger = { name: string; sql: string }

const listTriggers = (database: Database): GuardTrigger[] =>
  database
    .prepare<[], GuardTrigger>(
      `select name, sql from sqlite_master where type = 'trigger' and name like 'guard\\_%' escape '\\'`,
    )
    .all()

function triggersOf(database: Database, table: GuardedName): GuardTrigger[] {
  const columns = columnsOf(namesOf(database), table)
  return EVENTS.map((event) => {
    const name = `guard_${table}_${event}`
    const steps = [
      ...(event === 'insert' ? [] : [moveSql(table, columns, 'old', '-')]),
      ...(event === 'delete' ? [] : [moveSql(table, columns, 'new', '+')]),
    ]
    return {
      name,
      sql: `CREATE TRIGGER ${name} after ${event} on ${table} begin ${steps.join('; ')}; end`,
    }
  })
}

function moveSql(
  table: GuardedName,
  columns: readonly string[],
  row: 'old' | 'new',
  sign: '+' | '-',
) {
  const { owner, part } = GUARDED_TABLES[table]
  const check = checkSql(columns, `${row}.`)
  return `insert into row_sums (name, owner, part, count, total)
    values ('${table}', ${owner.replace('@', `${row}.`)}, ${part.replace('@', `${row}.`)}, ${sign}1, ${sign}${check})
    on conflict (name, owner, part) do update
    set count = count + excluded.count, total = total + excluded.total`
}

const checkSql = (columns: readonly string[], prefix = ''): string =>
  `row_check(${columns.map((column) => `${prefix}"${column}"`).join(', ')})`

/** Runs a query whose rows are names. */
type ListNames = (sql: string) => string[]

const namesOf =
  (database: Database): ListNames =>
  (sql) =>
    database.prepare<[], string>(sql).pluck().all()

const columnsOf = (names: ListNames, table: string): string[] =>
  names(`select name from pragma_table_info('${table}')`)

/** A query that groups the rows of a table as they are now, with the columns of `row_sums`. */
export function groupsSql(names: ListNames, table: GuardedName, where: string): string {
  const { owner, part } = GUARDED_TABLES[table]
  const check = checkSql(columnsOf(names, table))
  const [ownerOf, partOf] = [owner, part].map((text) => text.replace('@', ''))
  return `select '${table}', ${ownerOf}, ${partOf}, count(*), sum(${check})
    from ${table} where ${where} group by 2, 3`
}
