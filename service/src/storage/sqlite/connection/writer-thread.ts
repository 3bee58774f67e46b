import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads'
import type { Database } from 'better-sqlite3'
import { ConflictError } from '../../../errors/conflict-error.ts'
import { codeOf, toError } from '../../../errors/thrown.ts'
import { LogBases } from '../write-ahead-log/log-base.ts'
import { DATABASE_VERSION } from '../migrations/migrate.ts'
import { copyBackFrom, openForWriting } from './connection.ts'
import { ReceivedJobs } from './received-jobs.ts'
import { isServed } from './serving-lock.ts'
import { StatementRunner } from './statement-runner.ts'
import { transferredChunks } from './transferred-chunks.ts'
import type {
  ThreadSettings,
  WriteFailure,
  WriteJob,
  WriteReply,
  WriteResult,
  WriterMessage,
} from './write-messages.ts'

/** The most jobs that share a transaction, and so one fsync. */
const GROUP_MAXIMUM = 512

/** Time after which a transaction takes no further job: the next transaction takes those that wait. */
const TRANSACTION_MILLISECONDS = 10

/** How long the thread waits for another process that writes, and how often it tries again. */
const BUSY_MILLISECONDS = 10_000
const BUSY_RETRY_MILLISECONDS = 1

/** 64 MB: twice as many as the process has that follows the log, which copies it back before. */
const FOLLOWED_FRAMES = 8000

/** The pause of a command after each transaction while a service writes beside it. */
const GAP_MILLISECONDS = 4
const SERVED_CHECK_MILLISECONDS = 250

if (parentPort === null) throw new Error('The writer runs as a worker thread only.')
const port: MessagePort = parentPort
const { file, descriptor, synchronous, yieldsToServiceIn, isFollowed }: ThreadSettings = workerData
/** Opened by the first job. Where that fails the job fails, and the next one tries again. */
let connection: { database: Database; runner: StatementRunner } | undefined
const logBases = new LogBases(file, descriptor)
const received = new ReceivedJobs()

port.on('message', (first: WriterMessage) => {
  received.add(first)
  do {
    for (let next = receive(); next !== undefined; next = receive()) received.add(next.message)
    if (received.length > 0) commitAndReply()
  } while (received.length > 0)
  if (received.isClosing) close()
})

const receive = (): { message: WriterMessage } | undefined => receiveMessageOnPort(port)

/** Commits the jobs that came first and replies to each. The memory of their samples goes back. */
function commitAndReply(): void {
  const buffers: ArrayBuffer[] = []
  const replies = commitNext().map(({ job, result }): WriteReply => {
    const { id, statements } = job
    const samples = transferredChunks(statements).map(({ bytes }) => bytes)
    if (samples.length === 0) return { id, ...result }
    buffers.push(...samples.map(({ buffer }) => buffer))
    return { id, ...result, samples }
  })
  port.postMessage(replies, buffers)
  if (connection !== undefined) logBases.note(connection.database)
  if (isBesideService()) pause(GAP_MILLISECONDS)
}

let nextServedCheck = 0
let isServedNow = false

/** Whether this process is a command and a service works on the same folder. */
function isBesideService(): boolean {
  if (yieldsToServiceIn === undefined) return false
  if (performance.now() > nextServedCheck) {
    isServedNow = isServed(yieldsToServiceIn)
    nextServedCheck = performance.now() + SERVED_CHECK_MILLISECONDS
  }
  return isServedNow
}

const PAUSED = new Int32Array(new SharedArrayBuffer(4))

const pause = (milliseconds: number): void => {
  Atomics.wait(PAUSED, 0, 0, milliseconds)
}

function open(): { database: Database; runner: StatementRunner } {
  if (connection !== undefined) return connection
  const database = openForWriting(file, synchronous)
  database.pragma('busy_timeout = 0')
  if (isFollowed === true) copyBackFrom(database, FOLLOWED_FRAMES)
  connection = { database, runner: new StatementRunner(database) }
  return connection
}

/** Opens the database even after no write: the last connection to close copies the log back. */
function close(): void {
  try {
    logBases[Symbol.dispose]()
    open().database.close()
  } catch {
    // The log stays as it is: the next process that opens the database reads it.
  }
  port.close()
}

/**
 * Runs the next jobs in one transaction, in the order in which they came. A job that fails is rolled
 * back alone, and the others stay.
 */
function commitNext(): { job: WriteJob; result: WriteResult }[] {
  const isOneOfMany = received.length > 1
  const done: { job: WriteJob; result: WriteResult }[] = []
  const taken: WriteJob[] = []
  try {
    const { runner } = open()
    begin(runner)
    requireSupportedVersion(runner)
    runner.begun()
    const end = performance.now() + TRANSACTION_MILLISECONDS
    for (let job = received.next(); job !== undefined;) {
      taken.push(job)
      done.push({ job, result: attempt(job, isOneOfMany) })
      const isFull = done.length >= GROUP_MAXIMUM || performance.now() >= end
      job = isFull ? undefined : received.next()
    }
    runner.run('commit')
    return done
  } catch (error) {
    rollBack()
    const failed = taken.length === 0 ? received.takeAll(GROUP_MAXIMUM) : taken
    return failed.map((job) => ({ job, result: { failure: describe(error) } }))
  }
}

/** In a malformed file the rollback fails too: the replies name the first failure. */
function rollBack(): void {
  connection?.runner.rolledBack()
  try {
    if (connection?.database.inTransaction) connection.database.exec('rollback')
  } catch {
    // The next transaction fails in the same way.
  }
}

/** SQLite itself tries again at growing intervals, and misses the gaps that other processes leave. */
function begin(runner: StatementRunner): void {
  const end = performance.now() + BUSY_MILLISECONDS
  while (true)
    try {
      return runner.run('begin immediate')
    } catch (error) {
      if (codeOf(error) !== 'SQLITE_BUSY' || performance.now() > end) throw error
      pause(BUSY_RETRY_MILLISECONDS)
    }
}

function attempt({ statements }: WriteJob, isOneOfMany: boolean): WriteResult {
  const { database, runner } = open()
  if (!isOneOfMany) return { outcomes: statements.map(runner.execute) }
  runner.run('savepoint job')
  try {
    const outcomes = statements.map(runner.execute)
    runner.run('release job')
    return { outcomes }
  } catch (error) {
    // A full disk can roll back the whole transaction: then every job of it fails.
    if (!database.inTransaction) throw error
    runner.run('rollback to job')
    runner.run('release job')
    runner.rolledBack()
    return { failure: describe(error) }
  }
}

class NewerDatabase extends Error {
  readonly version: number

  constructor(version: number) {
    super('the database was migrated')
    this.version = version
  }
}

/** A database that a newer program has migrated must not be written by the rules of this one. */
function requireSupportedVersion(runner: StatementRunner): void {
  const version = runner.readVersion()
  if (version > DATABASE_VERSION) throw new NewerDatabase(version)
}

function describe(error: unknown): WriteFailure {
  const { message } = toError(error)
  if (error instanceof NewerDatabase) return { message, version: error.version }
  if (error instanceof ConflictError) return { message, conflict: error.reason }
  return { message, code: codeOf(error) ?? 'UNKNOWN' }
}
