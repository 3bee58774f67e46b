import { RefusedError } from '../../../errors/refused-error.ts'
import type { SqlReader } from '../engine.ts'
import type { Tuple } from '../engine.ts'
import type { Statement } from '../statement.ts'
import { undoManualReadings } from '../manual-readings.ts'

/** In place of the instant at which a change was undone: its entries are being deleted. */
const EXPIRED_AT = -1

/** Changes that are not about to disappear. */
export const IS_KEPT = `undone_at is distinct from ${EXPIRED_AT}`

/** Changes whose entries may be deleted; the parameter is the instant before which they began. */
export const IS_ENDED = `started_at < ? and undone_at is not null`

/**
 * Lets nobody else undo or expire a change until this write is committed; it is a `ConflictError`
 * (`rows`) where somebody has done so.
 */
export const holdChange = (id: number): Statement => ({
  sql: `update changes set finished_at = null where id = ? and undone_at is null`,
  width: 1,
  values: [id],
  expected: 1,
})

/** Statements that end an undo; the write has to hold the change. */
export const markUndone = (id: number, now: number): Statement[] => [
  { sql: `update changes set undone_at = ? where id = ?`, width: 2, values: [now, id] },
  undoManualReadings(id, now),
]

/** From now on nobody undoes them. What a rewriting that is not finished has done is known by its entries alone. */
export const markExpired = (before: number): Statement => ({
  sql: `update changes set undone_at = ${EXPIRED_AT} where started_at < ? and undone_at is null
    and (kind <> 'rewrite' or finished_at is not null)`,
  width: 1,
  values: [before],
})

/** Refuses to undo a change that was undone already, or has expired. */
export async function requireUndoable(reader: SqlReader, id: number): Promise<void> {
  const [undoneAt = EXPIRED_AT] =
    (await reader.row<Tuple<'changes', ['undone_at']>>(
      `select undone_at from changes where id = ?`,
      id,
    )) ?? []
  if (undoneAt === EXPIRED_AT)
    throw new RefusedError('absent', `Change ${id} is expired and can no longer be undone.`)
  if (undoneAt !== null) throw new RefusedError('invalid', `Change ${id} was already undone.`)
}
