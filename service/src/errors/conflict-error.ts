/**
 * What changed since a write was computed: alarms or the newest records that they are computed from,
 * records that the write is computed from, rows that it replaces, what is stored at the places of its
 * records, or which days are sealed.
 */
export type ConflictReason = 'alarms' | 'records' | 'rows' | 'places' | 'sealed'

/** Another writer changed what a write was computed from; nothing was stored. */
export class ConflictError extends Error {
  override name = 'ConflictError'
  readonly reason: ConflictReason

  constructor(reason: ConflictReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** Whether an error is a conflict for one of these reasons. */
export const isConflict = (
  error: unknown,
  ...reasons: readonly ConflictReason[]
): error is ConflictError => error instanceof ConflictError && reasons.includes(error.reason)
