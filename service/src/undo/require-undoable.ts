import { RefusedError } from '../errors/refused-error.ts'
import type { Change, Storage } from '../storage/storage.ts'

type Undoing = { keep?: boolean; rewritingProblem?: string }

/** Finds a change; refuses where undoing it would leave records of which nobody knows what they mean. */
export async function requireUndoable(
  changes: Pick<Storage['changes'], 'list' | 'findLater'>,
  id: number,
  { keep = false, rewritingProblem }: Undoing,
): Promise<Change> {
  const list = await changes.list()
  const change = list.find((one) => one.id === id)
  if (change === undefined)
    throw new RefusedError('absent', `There is no change ${id}; see "plumbline changes".`)
  if (change.kind === 'rewrite' && change.undoneAt === null && rewritingProblem !== undefined)
    throw new RefusedError('invalid', rewritingProblem)
  refuseBeforeRewriting(change, list)
  if (!keep) await refuseBeforeLater(changes, change, list)
  return change
}

/** What a later change wrote would stay, and what this one wrote with it. */
async function refuseBeforeLater(
  changes: Pick<Storage['changes'], 'findLater'>,
  { id, undoneAt }: Change,
  list: readonly Change[],
): Promise<void> {
  if (undoneAt !== null) return
  const later = await changes.findLater(id)
  if (later === undefined) return
  const description = list.find((one) => one.id === later)?.description ?? ''
  throw new RefusedError(
    'invalid',
    `Change ${later} (${description}) wrote some of the records of change ${id} later. Undo change ${later} first, or keep what it wrote: with "keep" in a request, with --keep in the command.`,
  )
}

/** What a change has kept from before a rewriting has the old units and keys. */
function refuseBeforeRewriting({ id, undoneAt }: Change, changes: readonly Change[]): void {
  const later = changes.findLast((one) => {
    return one.kind === 'rewrite' && one.id > id && one.undoneAt === null
  })
  if (later === undefined || undoneAt !== null) return
  throw new RefusedError(
    'invalid',
    `Change ${id} has records from before change ${later.id} (${later.description}), which gave records other units or keys. Undo change ${later.id} first.`,
  )
}
