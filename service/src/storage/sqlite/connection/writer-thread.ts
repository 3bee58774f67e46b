import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { Database, Statement as Prepared } from 'better-sqlite3'
import { CheckedWrites } from '../integrity/checked-writes.ts'
import { openForWriting } from './connection.ts'
import { LogBases } from '../log/log-base.ts'
import { DATABASE_VERSION } from '../migrations/migrate.ts'
import { withoutHints } from './without-hints.ts'
import { chunkOf } from '../../../domain/vibration/sample-chunks.ts'
import type { Outcome, Statement } from '../../sql/engine.ts'
import { insertTogether } from '../records/insert-together.ts'
import { lentChunks } from './lent-chunks.ts'
import { requireChecked } from '../integrity/require-checked.ts'
import { isServed } from './serving-lock.ts'
import { ConflictError } from '../../../errors/conflict-error.ts'
import type { Answer, Failure, Job, JobPart, ThreadSettings } from './writer.ts'

/** So many waiting jobs share a transaction, and so one fsync. */
const GROUP_MAXIMUM = 512

/** After so long a transaction takes no further job: those that wait are committed after it. */
const TRANSACTION_MILLISECONDS = 10

/** Another process is waited for so long, and looked for so often. */
const BUSY_MILLISECONDS = 10_000
const BUSY_LOOK_MILLISECONDS = 1

/** A command leaves so long a gap after each transaction while a service writes beside it. */
const GAP_MILLISECONDS = 4
const SERVED_LOOK_MILLISECONDS = 250

const port = parentPort!
const { file, descriptor, synchronous, givesWayIn } = workerData as ThreadSettings
/** Opened by the first job: where it cannot be, that job says so and the next one tries again. */
let opened: Database | undefined
let checkedWrites: CheckedWrites | undefined
const prepared = new Map<string, Prepared>()
const logBases = new LogBases(file, descriptor)

type Message = Job | JobPart | 'close'

/** Values that came ahead of their job, by its id and the statement's place. */
const ahead = new Map<number, Map<number, unknown[]>>()

const queue: Job[] = []
let isClosing = false

port.on('message', (first: Message) => {
  take(first)
  do {
    for (let next = receive(); next !== undefined; next = receive()) take(next.message)
    if (queue.length > 0) respondNext()
  } while (queue.length > 0)
  if (isClosing) close()
})

const receive = () => receiveMessageOnPort(port) as { message: Message } | undefined

function take(message: Message): void {
  if (message === 'close') isClosing = true
  else if ('statement' in message) keepAhead(message)
  else queue.push(whole(message))
}

function keepAhead({ id, statement, values }: JobPart): void {
  const kept = ahead
    .getOrInsertComputed(id, () => new Map())
    .getOrInsertComputed(statement, () => [])
  for (const value of values) kept.push(value)
}

/** A job with the values that came ahead of it. */
function whole({ id, statements }: Job): Job {
  const kept = ahead.get(id)
  if (kept === undefined) return { id, statements }
  ahead.delete(id)
  return {
    id,
    statements: statements.map((one, at) => ({ ...one, values: kept.get(at) ?? one.values })),
  }
}

/** Commits the jobs that came first and answers them; what they were lent goes back. */
function respondNext(): void {
  const { jobs, responses } = commitNext()
  const moved: ArrayBuffer[] = []
  for (const [at, { statements }] of jobs.entries()) {
    const lent = lentChunks(statements).map(({ bytes }) => bytes)
    if (lent.length === 0) continue
    responses[at]!.lent = lent
    moved.push(...lent.map(({ buffer }) => buffer))
  }
  port.postMessage(responses, moved)
  if (opened !== undefined) logBases.note(opened)
  if (isBesideService()) rest(GAP_MILLISECONDS)
}

let servedUntil = 0
let isServedNow = false

/** Whether this is a command and a service works on the same folder. */
function isBesideService(): boolean {
  if (givesWayIn === undefined) return false
  if (performance.now() > servedUntil) {
    isServedNow = isServed(givesWayIn)
    servedUntil = performance.now() + SERVED_LOOK_MILLISECONDS
  }
  return isServedNow
}

const STILL = new Int32Array(new SharedArrayBuffer(4))

const rest = (milliseconds: number): void => {
  Atomics.wait(STILL, 0, 0, milliseconds)
}

function database(): Database {
  if (opened === undefined) {
    opened = openForWriting(file, synchronous)
    opened.pragma('busy_timeout = 0')
  }
  return opened
}

/** The last one to close folds the log back, also one that has written nothing. */
function close(): void {
  try {
    logBases[Symbol.dispose]()
    database().close()
  } catch {
    // What is in the log stays there: the next one to open it finds it.
  }
  port.close()
}

/**
 * Runs the next jobs in one transaction, in the order in which they came; one that fails is undone
 * alone and the others stand.
 */
function commitNext(): { jobs: Job[]; responses: Answer[] } {
  const isOneOfMany = queue.length > 1
  const jobs: Job[] = []
  try {
    begin()
    requireKnownVersion()
    checkedWrites?.begin()
    const end = performance.now() + TRANSACTION_MILLISECONDS
    const responses: Answer[] = []
    do {
      const job = queue.shift()!
      jobs.push(job)
      responses.push(attempt(job, isOneOfMany))
    } while (queue.length > 0 && jobs.length < GROUP_MAXIMUM && performance.now() < end)
    run('commit')
    return { jobs, responses }
  } catch (error) {
    rollBack()
    if (jobs.length === 0) jobs.push(...queue.splice(0, GROUP_MAXIMUM))
    return { jobs, responses: jobs.map(({ id }) => ({ id, failure: describe(error) })) }
  }
}

/** In a malformed file even this may fail; the next transaction says so again. */
function rollBack(): void {
  checkedWrites?.rolledBack()
  try {
    if (opened?.inTransaction) opened.exec('rollback')
  } catch {
    // What failed first is what is answered.
  }
}

/** SQLite itself looks ever more seldom, and misses the gaps that others leave. */
function begin(): void {
  const end = performance.now() + BUSY_MILLISECONDS
  while (true)
    try {
      return run('begin immediate')
    } catch (error) {
      const isBusy = (error as { code?: string }).code === 'SQLITE_BUSY'
      if (!isBusy || performance.now() > end) throw error
      rest(BUSY_LOOK_MILLISECONDS)
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
    if (!database().inTransaction) throw error
    run('rollback to job')
    run('release job')
    checkedWrites?.rolledBack()
    return { id, failure: describe(error) }
  }
}

function execute(statement: Statement): Outcome {
  const { sql, width, values, chunks, otherwise, expected, guards, checked } = statement
  requireChecked(statement)
  if (sql.startsWith('pragma')) {
    // Prepared, it would only take its first step.
    database().exec(sql)
    return { changed: 0, otherwise: 0, lastId: 0 }
  }
  const first = prepare(sql)
  const others = otherwise === undefined ? [] : [otherwise].flat().map(prepare)
  const outcome = { changed: 0, otherwise: 0, lastId: 0 }
  if (guards !== undefined) {
    for (let at = 0; at < values.length; at += width)
      if (first.get(...values.slice(at, at + width)) === undefined)
        throw new ConflictError(guards, `another writer has changed ${guards}`)
    return outcome
  }
  const rows = chunks?.checksums.length ?? (width === 0 ? 1 : values.length / width)
  const runRow = (row: readonly unknown[]): void => {
    const { changes, lastInsertRowid } = first.run(...row)
    outcome.changed += changes
    outcome.lastId = Number(lastInsertRowid)
    if (changes > 0) return
    for (const [place, other] of others.entries()) {
      const more = other.run(...row)
      if (place === 0) outcome.otherwise += more.changes
    }
  }
  const rowAt = (index: number) => values.slice(index * width, (index + 1) * width)
  if (checked !== undefined)
    runChecked(
      statement,
      checked,
      Array.from({ length: rows }, (_, at) => rowAt(at)),
      runRow,
    )
  else
    for (let index = insertTogether(statement, prepare, outcome); index < rows; index++)
      runRow(
        chunks === undefined
          ? rowAt(index)
          : [...values, index, chunks.checksums[index], chunkOf(chunks, index)],
      )
  if (expected !== undefined && outcome.changed !== expected)
    throw new ConflictError('rows', `${outcome.changed} rows changed, expected ${expected}`)
  return outcome
}

function runChecked(
  { sql }: Statement,
  { kind, as }: NonNullable<Statement['checked']>,
  rows: readonly unknown[][],
  runRow: (row: readonly unknown[]) => void,
): void {
  if (checkedWrites === undefined) {
    checkedWrites = new CheckedWrites(database())
    checkedWrites.begin()
  }
  if (as === 'records') checkedWrites.insert(kind, rows as [number, number, string][], runRow)
  else if (as === 'sources') {
    for (const row of rows) runRow(row)
    checkedWrites.removeSources(kind, sql, rows)
  } else checkedWrites.remove(kind, rows as [number, number, number][], runRow)
}

/** What a newer program has migrated is not written by the rules of this one. */
function requireKnownVersion(): void {
  const version = prepare('pragma user_version').pluck().get() as number
  if (version > DATABASE_VERSION)
    throw Object.assign(new Error('the database was migrated'), { version })
}

function run(sql: string): void {
  prepare(sql).run()
}

function prepare(sql: string): Prepared {
  const known = prepared.get(sql)
  if (known !== undefined) return known
  const statement = database().prepare(withoutHints(sql))
  prepared.set(sql, statement)
  return statement
}

function describe(error: unknown): Failure {
  const { code = 'UNKNOWN', message, version } = error as Error & Partial<Failure>
  return {
    code,
    message,
    ...(version === undefined ? {} : { version }),
    ...(error instanceof ConflictError ? { conflict: error.reason } : {}),
  }
}
