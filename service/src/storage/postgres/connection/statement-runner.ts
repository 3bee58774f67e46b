import type { PoolClient, QueryArrayResult } from 'pg'
import { chunkOf } from '../../../domain/vibration/sample-chunks.ts'
import { ConflictError } from '../../../errors/conflict-error.ts'
import type {
  Outcome,
  SetStatement,
  SourceLock,
  Statement,
  WriteLock,
} from '../../sql/statement.ts'
import { countRows, eachRow, givenAsArrays, givenRows } from './given-rows.ts'
import { isDuplicate } from './postgres-errors.ts'
import { asTuples } from './prepared.ts'
import { acceptable } from '../distribution/acceptable.ts'
import {
  inRounds,
  inSizes,
  isMiscounted,
  isSpread,
  keyOf,
  lockingInsert,
  repeatValues,
} from '../distribution/spread-rows.ts'

/** Rows that are under way on one connection; more wait in this process. */
const ROWS_AT_ONCE = 500

type Client = Pick<PoolClient, 'query'>

/**
 * Runs the statements of a write in a transaction. They are sent one after the other without waiting
 * for results, but for those whose rows depend on a result or that are never rolled back; an error
 * stops all that follow.
 */
export async function runStatements(
  client: Client,
  given: readonly Statement[],
  { isDistributed = false } = {},
): Promise<Outcome[]> {
  const statements = isDistributed ? given.map(forCitus) : given
  const pending: Promise<Outcome>[] = []
  for (const statement of statements) {
    if (statement.isLasting === true && !(await succeeds(Promise.all(pending)))) break
    const running = run(client, statement, isDistributed)
    // Awaited below, in their order: the first one that fails is the reason of the others.
    running.catch(() => undefined)
    pending.push(running)
    if (isInSteps(statement) && !(await succeeds(running))) break
  }
  const outcomes: Outcome[] = []
  for (const one of pending) outcomes.push(await one)
  return outcomes
}

const succeeds = (running: Promise<unknown>): Promise<boolean> =>
  running.then(
    () => true,
    () => false,
  )

/** Citus is slow to insert rows of arrays, and refuses some statements over them. */
function forCitus(statement: Statement): Statement {
  const { set, ...rest } = statement
  if (set !== undefined && !isSpread(set.sql)) return statement
  const sql = acceptable(rest.sql)
  const counted = isMiscounted(sql) ? `${sql} returning 1` : sql
  return { ...rest, sql: counted, ...(counted === sql ? {} : { countsRows: true }) }
}

function run(client: Client, statement: Statement, isDistributed: boolean): Promise<Outcome> {
  const { locks, set, rowKey } = statement
  if (isDistributed && locks !== undefined && locks.kind !== 'alarms')
    return insertRows(client, lockingRows(locks), ['source'])
  if (isDistributed && rowKey !== undefined) return insertRows(client, statement, rowKey)
  if (locks !== undefined) return lock(client, locks)
  return set === undefined ? runRows(client, statement) : runSet(client, statement, set)
}

/** Whether the next statement must not be sent before this one has ended. */
const isInSteps = (statement: Statement): boolean =>
  statement.set === undefined &&
  (statement.otherwise !== undefined || countRows(statement) > ROWS_AT_ONCE)

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

function checked(
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
async function runRows(client: Client, statement: Statement): Promise<Outcome> {
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
  const { sql, otherwise } = statement
  const outcome = { changed: 0, otherwise: 0, lastId: 0 }
  const [replacing, ...others] = otherwise === undefined ? [] : [otherwise].flat()
  const insert = replacing === undefined ? sql : `${sql} returning ${key.join(', ')}`
  const rounds = inRounds(eachRow(statement), key.length)
  for (const round of rounds) {
    const inserted = await settle(sendInserts(client, insert, round))
    const found = new Set<string>()
    for (const { rows, rowCount } of inserted) {
      outcome.changed += rowCount ?? 0
      for (const row of rows) found.add(keyOf(row, key.length))
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
  Array.from(inSizes(rows), (some) =>
    client.query<unknown[]>(asTuples(repeatValues(sql, some.length), some.flat())),
  )

/** Waits for all; throws the first error. No result is left without a listener. */
async function settle(
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
