import { RefusedError } from '../../errors/refused-error.ts'
import type { Change, Storage } from '../../storage/storage.ts'
import { describeRewriting, type RecordRewrite } from './record-rewrites.ts'

type Changes = Pick<Storage['changes'], 'findRewriting' | 'begin'>

/** Begins a rewriting as a change, or resumes the same one if it did not finish. */
export async function beginRewriting(
  changes: Changes,
  rewrites: readonly RecordRewrite[],
  now: number,
): Promise<number> {
  const unfinished = await changes.findRewriting()
  if (unfinished !== undefined) return unfinished.id
  const description = describeRewriting(rewrites)
  return changes.begin({ kind: 'rewrite', description, startedAt: now })
}

/** Whether the rewriting has begun; refuses another one while one is not finished. */
export async function isResumed(
  changes: Changes,
  rewrites: readonly RecordRewrite[],
): Promise<boolean> {
  const unfinished = await changes.findRewriting()
  if (unfinished === undefined) return false
  if (unfinished.description === describeRewriting(rewrites)) return true
  throw new RefusedError('invalid', describeUnfinished(unfinished))
}

/** Refuses the use of records of which some are rewritten and others are not. */
export async function requireRewritten(changes: Pick<Changes, 'findRewriting'>): Promise<void> {
  const unfinished = await changes.findRewriting()
  if (unfinished !== undefined)
    throw new RefusedError('unavailable', describeUnfinished(unfinished))
}

const describeUnfinished = ({ id, description }: Pick<Change, 'id' | 'description'>): string =>
  `Change ${id}, ${description}, is not finished: some records are rewritten and others are not. Run "plumbline site apply" again with the same file and flags to finish it, or "plumbline undo ${id}" to restore the records.`
