/**
 * What changed since a write was prepared: alarms or the newest records that they follow from,
 * records that the write follows from, or rows that it was to replace.
 */
export type ConflictReason = 'alarms' | 'records' | 'rows'

/** Another writer was faster: what a write was prepared from has changed, and nothing was stored. */
export class ConflictError extends Error {
  override name = 'ConflictError'
  readonly reason: ConflictReason

  constructor(reason: ConflictReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** Whether an error is a conflict of one of these reasons. */
export const isConflict = (
  error: unknown,
  ...reasons: readonly ConflictReason[]
): error is ConflictError => error instanceof ConflictError && reasons.includes(error.reason)
