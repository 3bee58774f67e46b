import type { Database } from 'better-sqlite3'
import { FIXED_ROWS, type FixedRows, type FixedTable } from './fixed-rows.ts'

/** Ids that are copied by one statement for each table: some megabytes. */
const IDS_AT_ONCE = 256

/** Makes the tables of a segment, without the indexes and constraints of the database. */
export function createSegment(database: Database): void {
  for (const { tables } of FIXED_ROWS)
    for (const { name } of tables)
      database.exec(`create table segment.${name} as select * from live.${name} where 0`)
}

/** Copies the rows of ids, which are in ascending order, into the segment, some at a time. */
export function* copyFixedRows(
  database: Database,
  { tables }: FixedRows,
  ids: readonly number[],
): Generator<readonly number[]> {
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
    const some = ids.slice(at, at + IDS_AT_ONCE)
    for (const run of runsOf(some)) for (const table of tables) copyRun(database, table, run)
    yield some
  }
}

function copyRun(
  database: Database,
  { name, column, factor }: FixedTable,
  { first, last }: Run,
): void {
  const sql = `insert into segment.${name} select * from live.${name}
    where ${column} >= ? and ${column} < ? order by ${column}`
  database.prepare(sql).run(first * factor, (last + 1) * factor)
}

type Run = { first: number; last: number }

/** The runs of successive ids: 1, 2, 3 and 7 give 1 to 3, and 7. */
function runsOf(ids: readonly number[]): Run[] {
  const runs: Run[] = []
  for (const id of ids) {
    const run = runs.at(-1)
    if (run !== undefined && run.last + 1 === id) run.last = id
    else runs.push({ first: id, last: id })
  }
  return runs
}
