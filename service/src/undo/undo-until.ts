import type { Change } from '../storage/storage.ts'

const DAY = 86_400_000

/** Until when a change can be undone; `null`: without an end, or undone already. */
export const undoUntil = (
  { startedAt, undoneAt }: Pick<Change, 'startedAt' | 'undoneAt'>,
  keepDays: number,
): number | null => (keepDays === 0 || undoneAt !== null ? null : startedAt + keepDays * DAY)
