import type { Change, ChangeStore } from '../storage/storage.ts'

type ChangeSubject = Pick<Change, 'kind' | 'description'>

/** Begins a change, or resumes the same one if it did not finish. */
export async function beginChange(
  changes: ChangeStore,
  subject: ChangeSubject,
  now: number,
): Promise<{ id: number; isResumed: boolean }> {
  const unfinished = await findUnfinished(changes, subject)
  if (unfinished !== undefined) return { id: unfinished.id, isResumed: true }
  return { id: await changes.begin({ ...subject, startedAt: now }), isResumed: false }
}

/** The change of the same kind and description that did not finish. */
export async function findUnfinished(
  changes: Pick<ChangeStore, 'list'>,
  { kind, description }: ChangeSubject,
): Promise<Change | undefined> {
  return (await changes.list()).findLast(
    (change) =>
      change.kind === kind &&
      change.description === description &&
      change.finishedAt === null &&
      change.undoneAt === null,
  )
}
