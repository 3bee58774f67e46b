import type { ConflictReason } from '../../../errors/conflict-error.ts'
import type { Outcome, Statement } from '../../sql/statement.ts'
import type { Synchronous } from './connection.ts'

export type WriterSettings = {
  file: string
  synchronous: Synchronous
  /** The data folder whose service may write between two transactions. */
  yieldsToServiceIn?: string | undefined
  /** Whether another process copies the log back, and the writer only a log that grows too long. */
  isFollowed?: boolean | undefined
}

/** The settings of the writer thread. The descriptor reads the file and stays open with the writer. */
export type ThreadSettings = WriterSettings & { descriptor: number }

/** Statements of one transaction or a part of one. */
export type WriteJob = { id: number; statements: readonly Statement[] }

/** Values of one statement of a job that follows, in their order. */
export type WriteJobPart = { id: number; statement: number; values: readonly unknown[] }

export type WriterMessage = WriteJob | WriteJobPart | 'close'

/** Why a job failed: a newer program migrated the database, a conflict, or an error of SQLite. */
export type WriteFailure = { message: string } & (
  { version: number } | { conflict: ConflictReason } | { code: string }
)

export type WriteResult = { outcomes: Outcome[] } | { failure: WriteFailure }

/** The result of a job, and the memory of the samples that were transferred with it. */
export type WriteReply = WriteResult & { id: number; samples?: Uint8Array<ArrayBuffer>[] }
