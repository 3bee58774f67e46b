import type { Reject, RejectStore } from '../../storage/storage.ts'

/** Stored without a problem, or why it still cannot be. */
export type ReplayOutcome = { problem?: string }

/** Tries again to store what was refused. */
export type Replay = (refusal: Reject) => Promise<ReplayOutcome>

/** By the first word of an origin: `mqtt`, `broker`, `file`. */
export type Replays = ReadonlyMap<string, Replay>

export type ReplayReport = {
  replayed: number
  /** Those that still cannot be stored; they stay. */
  refused: { id: number; message: string }[]
}

/** Replays rejects by their ids, oldest first; what is stored now is a refusal no longer. */
export async function replayRejects(
  rejects: Pick<RejectStore, 'find' | 'remove'>,
  replays: Replays,
  ids: readonly number[],
): Promise<ReplayReport> {
  const report: ReplayReport = { replayed: 0, refused: [] }
  for (const id of [...new Set(ids)].toSorted((one, other) => one - other)) {
    const refusal = await rejects.find(id)
    if (refusal === undefined) {
      report.refused.push({ id, message: 'there is no such refusal' })
      continue
    }
    const kind = refusal.origin.split(' ')[0]!
    const outcome = (await replays.get(kind)?.(refusal)) ?? {
      problem: `what came in by "${kind}" cannot be replayed: it is not set up here`,
    }
    if (outcome.problem !== undefined) {
      report.refused.push({ id, message: outcome.problem })
      continue
    }
    await rejects.remove([id])
    report.replayed++
  }
  return report
}
