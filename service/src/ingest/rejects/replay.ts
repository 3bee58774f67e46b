import type { RejectOrigin } from '../../domain/rejects/reject-origin.ts'
import type { Reject, RejectStore } from '../../storage/storage.ts'

/** Stored without a problem, or why it still cannot be. */
export type ReplayOutcome = { problem?: string }

/** Tries again to store a reject. */
export type Replay = (reject: Reject) => Promise<ReplayOutcome>

/** How the rejects of each kind are replayed. */
export type Replays = Readonly<Record<RejectOrigin['kind'], Replay>>

export type ReplayReport = {
  replayed: number
  /** Those that still cannot be stored; they stay. */
  refused: { id: number; message: string }[]
}

/** Replays rejects by their ids, oldest first; those that are stored now are removed. */
export async function replayRejects(
  rejects: Pick<RejectStore, 'find' | 'remove'>,
  replays: Replays,
  ids: readonly number[],
): Promise<ReplayReport> {
  const report: ReplayReport = { replayed: 0, refused: [] }
  for (const id of [...new Set(ids)].toSorted((one, other) => one - other)) {
    const reject = await rejects.find(id)
    if (reject === undefined) {
      report.refused.push({ id, message: 'there is no such reject' })
      continue
    }
    const outcome = await replays[reject.kind](reject)
    if (outcome.problem !== undefined) {
      report.refused.push({ id, message: outcome.problem })
      continue
    }
    await rejects.remove([id])
    report.replayed++
  }
  return report
}
