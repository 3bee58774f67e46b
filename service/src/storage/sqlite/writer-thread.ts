import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { Statement as Prepared } from 'better-sqlite3'
import { CheckedWrites } from './checked-writes.ts'
import { openForWriting } from './connection.ts'
import { withoutHints } from './reader.ts'
import { pieceOf } from '../../domain/vibration/cut-samples.ts'
import type { Outcome, Statement } from '../sql/engine.ts'
import { piecesOf } from './lent-pieces.ts'
import type { Answer, Failure, Job, WriterSettings } from './writer.ts'

/** So many waiting jobs share a transaction, and so one fsync. */
const GROUP_MAXIMUM = 512

const port = parentPort!
const { file, synchronous } = workerData as WriterSettings
const database = openForWriting(file, synchronous)
const checkedWrites = new CheckedWrites(database)
const prepared = new Map<string, Prepared>()

port.on('message', (first: Job | 'close') => {
  if (first === 'close') return close()
  const jobs = [first]
  while (jobs.length < GROUP_MAXIMUM) {
    const next = receiveMessageOnPort(port) as { message: Job | 'close' } | undefined
    if (next === undefined) break
    if (next.message === 'close') {
      answer(jobs)
      return close()
    }
    jobs.push(next.message)
  }
  answer(jobs)
})

/** Commits jobs and answers them; what they were lent goes back. */
function answer(jobs: readonly Job[]): void {
  const answers = commit(jobs)
  const moved: ArrayBuffer[] = []
  for (const [at, { statements }] of jobs.entries()) {
    const lent = piecesOf(statements).map(({ bytes }) => bytes)
    if (lent.length === 0) continue
    answers[at]!.lent = lent
    moved.push(...lent.map(({ buffer }) => buffer))
  }
  port.postMessage(answers, moved)
}

function close(): void {
  database.close()
  port.close()
}

/** Runs jobs in one transaction; one that fails is undone alone and the others stand. */
function commit(jobs: readonly Job[]): Answer[] {
  try {
    run('begin immediate')
    const answers = jobs.map((job) => attempt(job, jobs.length > 1))
    run('commit')
    return answers
  } catch (error) {
    rollBack()
    return jobs.map(({ id }) => ({ id, failure: describe(error) }))
  }
}

/** In a malformed file even this may fail; the next transaction says so again. */
function rollBack(): void {
  try {
    if (database.inTransaction) database.exec('rollback')
  } catch {
    // What failed first is what is answered.
  }
}

function attempt({ id, statements }: Job, isOneOfMany: boolean): Answer {
  if (!isOneOfMany) return { id, outcomes: statements.map(execute) }
  run('savepoint job')
  try {
    const outcomes = statements.map(execute)
    run('release job')
    return { id, outcomes }
  } catch (error) {
    // A full disk may have rolled back everything already: then nobody's job stands.
    if (!database.inTransaction) throw error
    run('rollback to job')
    run('release job')
    return { id, failure: describe(error) }
  }
}

function execute(statement: Statement): Outcome {
  const { sql, width, values, pieces, otherwise, expected, isGuard, checked } = statement
  if (sql.startsWith('pragma')) {
    // Prepared, it would only take its first step.
    database.exec(sql)
    return { changed: 0, otherwise: 0, lastId: 0 }
  }
  const first = prepare(sql)
  const second = otherwise === undefined ? undefined : prepare(otherwise)
  const outcome = { changed: 0, otherwise: 0, lastId: 0 }
  if (isGuard) {
    for (let at = 0; at < values.length; at += width)
      if (first.get(...values.slice(at, at + width)) === undefined)
        throw Object.assign(new Error('somebody else was faster'), {
          code: isGuard === 'basis' ? 'OUTDATED' : 'OVERTAKEN',
        })
    return outcome
  }
  const rows = pieces?.checksums.length ?? (width === 0 ? 1 : values.length / width)
  const runRow = (row: readonly unknown[]): void => {
    const { changes, lastInsertRowid } = first.run(...row)
    outcome.changed += changes
    outcome.lastId = Number(lastInsertRowid)
    if (changes === 0 && second !== undefined) outcome.otherwise += second.run(...row).changes
  }
  const rowAt = (index: number) => values.slice(index * width, (index + 1) * width)
  if (checked !== undefined)
    runChecked(
      checked,
      Array.from({ length: rows }, (_, at) => rowAt(at)),
      runRow,
    )
  else
    for (let index = 0; index < rows; index++)
      runRow(
        pieces === undefined
          ? rowAt(index)
          : [...values, index, pieces.checksums[index], pieceOf(pieces, index)],
      )
  if (expected !== undefined && outcome.changed !== expected)
    throw Object.assign(new Error(`${outcome.changed} rows changed, ${expected} were expected`), {
      code: 'CONFLICT',
    })
  return outcome
}

function runChecked(
  { kind, as }: NonNullable<Statement['checked']>,
  rows: readonly unknown[][],
  runRow: (row: readonly unknown[]) => void,
): void {
  if (as === 'records') checkedWrites.insert(kind, rows as [number, number, string][], runRow)
  else checkedWrites.remove(kind, rows as [number, number, number][], runRow)
}

function run(sql: string): void {
  prepare(sql).run()
}

function prepare(sql: string): Prepared {
  const known = prepared.get(sql)
  if (known !== undefined) return known
  const statement = database.prepare(withoutHints(sql))
  prepared.set(sql, statement)
  return statement
}

function describe(error: unknown): Failure {
  const { code, message } = error as Error & { code?: string }
  return { code: code ?? 'UNKNOWN', message }
}
