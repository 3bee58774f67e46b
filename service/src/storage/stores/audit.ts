import type { AuditLine } from '@plumbline/contract'

export type NewAuditLine = Omit<AuditLine, 'seq' | 'hash'>

export type AuditQuery = {
  startTime?: number | undefined
  endTime?: number | undefined
  who?: string | undefined
  operation?: string | undefined
  /** A part of the target. */
  target?: string | undefined
  /** Lines with a smaller number. */
  before?: number | undefined
  limit: number
}

/** The audit log: lines are only appended, and each one's hash covers all before it. */
export interface AuditStore {
  /** Notes a change before it begins: it leaves a line even where its process ends meanwhile. */
  begin(id: string, line: Omit<NewAuditLine, 'outcome'>): Promise<void>

  /** Appends a line, in place of the note `id` where there is one. */
  append(line: NewAuditLine, id?: string): Promise<AuditLine>

  /** Removes the note of a change that was not done and leaves no line. */
  discard(id: string): Promise<void>

  /** Turns notes of changes that began before an instant into lines with the outcome `unknown`. */
  closeAbandoned(before: number): Promise<number>

  /** Lines, newest first. */
  list(query: AuditQuery): Promise<AuditLine[]>

  /** Lines from a number on, oldest first. */
  from(seq: number, limit: number): Promise<AuditLine[]>
}
