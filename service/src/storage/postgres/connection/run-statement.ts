import type { PoolClient, QueryArrayResult } from 'pg'
import { chunkOf } from '../../../domain/vibration/sample-chunks.ts'
import { ConflictError } from '../../../errors/conflict-error.ts'
import type { Outcome, SetStatement, Statement, WriteLock } from '../../sql/statement.ts'
import { eachRow, givenAsArrays, givenRows } from './given-rows.ts'
import { isDuplicate } from './postgres-errors.ts'
import { asTuples } from './prepared.ts'

/** Rows that are under way on one connection; more wait in this process. */
export const ROWS_AT_ONCE = 500

export type Client = Pick<PoolClient, 'query'>

/** Runs one statement of a write: its locks, all rows at once, or each row. */
export function runStatement(client: Client, statement: Statement): Promise<Outcome> {
  const { locks, set } = statement
  if (locks !== undefined) return lock(client, locks)
  return set === undefined ? runRows(client, statement) : runSet(client, statement, set)
}

/** Sources that have no row to lock yet: they must be added, and the write run again. */
export class MissingSources extends Error {
  constructor() {
    super('sources have no row to lock')
  }
}

/** In the order of their ids: two writes of the same sources never wait for each other. */
async function lock(client: Client, locks: WriteLock): Promise<Outcome> {
  if (locks.sources.length === 0) return NOTHING
  if (locks.kind === 'alarms') {
    await client.query(asTuples(LOCK_ALARMS, [locks.sources]))
    return NOTHING
  }
  const { kind, sources, isShared } = locks
  const sql = `select 1 from ${kind}_sources where source = any(?::bigint[]) order by source
    for ${isShared ? 'share' : 'update'}`
  const { rows } = await client.query<unknown[]>(asTuples(sql, [sources]))
  if (rows.length < sources.length) throw new MissingSources()
  return NOTHING
}

const LOCK_ALARMS = `select 1 from alarm_versions where source_id = any(?::text[])
  order by source_id for update`

const NOTHING: Outcome = Object.freeze({ changed: 0, otherwise: 0, lastId: 0 })

/** Runs a statement for all rows at once. */
async function runSet(client: Client, statement: Statement, set: SetStatement): Promise<Outcome> {
  const { columns, count, repeated } = givenRows(statement, set)
  if (count === 0) return NOTHING
  const { rows, rowCount } = await client
    .query<unknown[]>(asTuples(givenAsArrays(set), columns))
    .catch((error: unknown) => {
      throw statement.mustInsert === true && isDuplicate(error) ? notNew() : error
    })
  if (statement.guards !== undefined) {
    requireAll(statement.guards, rows.length, count)
    return NOTHING
  }
  const [changed = 0, otherwise = 0] =
    set.counts === true ? (rows[0] ?? []).map(Number) : [rowCount ?? 0]
  return checked(statement, { changed, otherwise: otherwise + repeated, lastId: 0 }, count)
}

const notNew = (): ConflictError =>
  new ConflictError('places', 'something is stored where a new record was to be written')

function requireAll(reason: NonNullable<Statement['guards']>, found: number, count: number): void {
  if (found < count) throw new ConflictError(reason, `another writer has changed ${reason}`)
}

export function checked(
  { expected, mustInsert, conflict = 'rows' }: Statement,
  outcome: Outcome,
  rows: number,
): Outcome {
  if (mustInsert === true && outcome.changed !== rows) throw notNew()
  if (expected !== undefined && outcome.changed !== expected)
    throw new ConflictError(conflict, `${outcome.changed} rows changed, expected ${expected}`)
  return outcome
}

/** Runs a statement once for each row, some hundred under way at a time. */
export async function runRows(client: Client, statement: Statement): Promise<Outcome> {
  const { sql, guards, givesId, chunks, countsRows } = statement
  const outcome = { changed: 0, otherwise: 0, lastId: 0 }
  const text = givesId === true ? `${sql} returning id` : sql
  let count = 0
  const rows = chunks === undefined ? eachRow(statement) : chunkRows(statement, chunks)
  for (const some of inPortions(rows, ROWS_AT_ONCE)) {
    count += some.length
    const results = await settle(some.map((row) => client.query<unknown[]>(asTuples(text, row))))
    for (const [at, result] of results.entries()) {
      const row = some[at]
      if (guards !== undefined) requireAll(guards, result.rows.length, 1)
      else outcome.changed += (countsRows === true ? result.rows.length : result.rowCount) ?? 0
      if (givesId === true) outcome.lastId = Number(result.rows[0]?.[0])
      if (result.rowCount === 0 && row !== undefined)
        outcome.otherwise += await runOthers(client, statement, row)
    }
  }
  return checked(statement, outcome, count)
}

/** Runs the other statements for a row that changed nothing; returns what the first of them changed. */
async function runOthers(
  client: Client,
  { otherwise }: Statement,
  row: readonly unknown[],
): Promise<number> {
  const others = otherwise === undefined ? [] : [otherwise].flat()
  const results = await settle(others.map((sql) => client.query(asTuples(sql, row))))
  return results[0]?.rowCount ?? 0
}

/** Waits for all; throws the first error. No result is left without a listener. */
export async function settle(
  running: readonly Promise<QueryArrayResult<unknown[]>>[],
): Promise<QueryArrayResult<unknown[]>[]> {
  for (const one of running) one.catch(() => undefined)
  const results: QueryArrayResult<unknown[]>[] = []
  for (const one of running) results.push(await one)
  return results
}

function* chunkRows(
  { values }: Statement,
  chunks: NonNullable<Statement['chunks']>,
): Generator<readonly unknown[]> {
  for (const [at, checksum] of chunks.checksums.entries())
    yield [...values, at, checksum, chunkOf(chunks, at)]
}

function* inPortions<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let some: Item[] = []
  for (const item of items) {
    some.push(item)
    if (some.length < size) continue
    yield some
    some = []
  }
  if (some.length > 0) yield some
}
