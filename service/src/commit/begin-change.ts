import type { Change, ChangeStore } from '../storage/storage.ts'

type Begun = Pick<Change, 'kind' | 'description'>

/** Begins a change, or goes on with the same one where it ended half way. */
export async function beginChange(
  changes: ChangeStore,
  begun: Begun,
  now: number,
): Promise<{ id: number; isResumed: boolean }> {
  const unfinished = await findUnfinished(changes, begun)
  if (unfinished !== undefined) return { id: unfinished.id, isResumed: true }
  return { id: await changes.begin({ ...begun, startedAt: now }), isResumed: false }
}

/** The same change as it ended half way. */
export async function findUnfinished(
  changes: Pick<ChangeStore, 'list'>,
  { kind, description }: Begun,
): Promise<Change | undefined> {
  return (await changes.list()).findLast(
    (change) =>
      change.kind === kind &&
      change.description === description &&
      change.finishedAt === null &&
      change.undoneAt === null,
  )
}
