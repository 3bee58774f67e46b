import type { Outcome, SourceLock, Statement } from '../../sql/statement.ts'
import { codeOf } from '../../../errors/thrown.ts'
import { copyRows } from '../connection/copy-rows.ts'
import { columnsOf, eachRow } from '../connection/given-rows.ts'
import { isDuplicate } from '../connection/postgres-errors.ts'
import { asTuples, asTuplesOnce } from '../connection/prepared.ts'
import { checked, runStatement, settle, type Client } from '../connection/run-statement.ts'
import { ExistingRows, runStatements, type WriteRunner } from '../connection/statement-runner.ts'
import { acceptable } from './acceptable.ts'
import {
  inPortions,
  inRounds,
  isMiscounted,
  isSpread,
  keyOf,
  lockingInsert,
  repeatValues,
  sumRows,
} from './spread-rows.ts'

/** Runs the statements of a write over tables that are distributed. */
export const shardRunner: WriteRunner = {
  run: (client, statements) => runStatements(client, statements.map(forCitus), runOne),
  assumeNew: (statements) => (statements.some(hasNewRows) ? statements.map(assumeNew) : undefined),
}

const hasNewRows = ({ newRows }: Statement): boolean => newRows !== undefined

/** Such writes can be joined: a statement that may replace counts what it does. */
function assumeNew(statement: Statement): Statement {
  const { newRows, width, values, columns, checked, set } = statement
  if (newRows === undefined) return statement
  return {
    sql: '',
    width,
    values,
    newRows,
    ...(columns === undefined ? {} : { columns }),
    ...(checked === undefined ? {} : { checked }),
    set: { sql: `copy ${newRows}`, types: set?.types ?? [] },
  }
}

/** Citus is slow to insert rows of arrays, and refuses some statements over them. */
function forCitus(statement: Statement): Statement {
  const { set, ...rest } = statement
  if (isAssumed(statement) || (set !== undefined && !isSpread(set.sql))) return statement
  const sql = acceptable(rest.sql)
  const counted = isMiscounted(sql) ? `${sql} returning 1` : sql
  return { ...rest, sql: counted, ...(counted === sql ? {} : { countsRows: true }) }
}

function runOne(client: Client, statement: Statement): Promise<Outcome> {
  const { locks, rowKey } = statement
  if (isAssumed(statement)) return copyNew(client, statement)
  if (statement.passes !== undefined) return guardAtOnce(client, statement, statement.passes)
  if (locks !== undefined && locks.kind !== 'alarms')
    return insertRows(client, lockingRows(locks), ['source'])
  return rowKey === undefined
    ? runStatement(client, statement)
    : insertRows(client, statement, rowKey)
}

/** Whether a statement is one of a write whose records are assumed to be new. */
const isAssumed = ({ sql, newRows }: Statement): boolean => newRows !== undefined && sql === ''

async function copyNew(client: Client, statement: Statement): Promise<Outcome> {
  const columns = columnsOf(statement)
  try {
    await copyRows(client, statement.newRows ?? '', columns)
  } catch (error) {
    if (mayMeanDuplicate(error)) throw new ExistingRows()
    throw error
  }
  return { changed: columns[0]?.length ?? 0, otherwise: 0, lastId: 0 }
}

/** Citus says of whatever a worker refuses during a COPY that it is an internal error. */
const mayMeanDuplicate = (error: unknown): boolean =>
  isDuplicate(error) || codeOf(error) === 'XX000'

/** A query for each row would take most of the time of a write. */
async function guardAtOnce(client: Client, statement: Statement, passes: string): Promise<Outcome> {
  const [sources = [], instants = []] = columnsOf(statement)
  let first = Infinity
  for (const instant of instants) first = Math.min(first, Number(instant))
  const { rows } = await client.query<unknown[]>(asTuples(passes, [sources, first]))
  return rows.length === 0
    ? { changed: 0, otherwise: 0, lastId: 0 }
    : runStatement(client, statement)
}

const lockingRows = ({ kind, sources }: SourceLock): Statement => ({
  sql: lockingInsert(kind),
  width: 1,
  values: sources,
})

/** Runs an insert of one row for many rows at once, and its others for those that were there. */
async function insertRows(
  client: Client,
  statement: Statement,
  key: readonly string[],
): Promise<Outcome> {
  const { sql, otherwise, sums } = statement
  const outcome = { changed: 0, otherwise: 0, lastId: 0 }
  const [replacing, ...others] = otherwise === undefined ? [] : [otherwise].flat()
  const insert = replacing === undefined ? sql : `${sql} returning ${key.join(', ')}`
  const given = eachRow(statement)
  const rows = sums === undefined ? given : sumRows(given, sums)
  const rounds = inRounds(rows, key.length)
  for (const round of rounds) {
    const inserted = await settle(sendInserts(client, insert, round))
    const found = new Set<string>()
    for (const { rows: own, rowCount } of inserted) {
      outcome.changed += rowCount ?? 0
      for (const row of own) found.add(keyOf(row, key.length))
    }
    if (replacing === undefined || found.size === round.length) continue
    const existing = round.filter((row) => !found.has(keyOf(row, key.length)))
    const replaced = await settle(sendInserts(client, replacing, existing))
    for (const { rowCount } of replaced) outcome.otherwise += rowCount ?? 0
    for (const other of others)
      await settle(existing.map((row) => client.query<unknown[]>(asTuples(other, row))))
  }
  return checked(
    statement,
    outcome,
    rounds.reduce((sum, { length }) => sum + length, 0),
  )
}

const sendInserts = (client: Client, sql: string, rows: readonly (readonly unknown[])[]) =>
  Array.from(inPortions(rows), (some) => client.query<unknown[]>(insertOf(sql, some)))

/** Citus plans an insert of several rows each time: nothing is gained where it stays prepared. */
const insertOf = (sql: string, rows: readonly (readonly unknown[])[]) =>
  rows.length === 1
    ? asTuples(sql, rows.flat())
    : asTuplesOnce(repeatValues(sql, rows.length), rows.flat())
