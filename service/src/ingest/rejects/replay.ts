import type { RejectOrigin } from '../../domain/rejects/reject-origin.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { Reject, RejectStore } from '../../storage/storage.ts'

/** The result of a replay: without a problem everything is stored. */
export type ReplayOutcome = { problem?: string }

/** Tries to store a reject again. */
type Replay = (reject: Reject) => Promise<ReplayOutcome>

/** How the rejects of each kind are replayed. */
export type Replays = Readonly<Record<RejectOrigin['kind'], Replay>>

type ReplayReport = {
  replayed: number
  /** Rejects that still cannot be stored; they stay. */
  rejected: { id: number; message: string }[]
}

/**
 * Replays rejects by their ids, oldest first. Those that were stored are removed, the others keep the
 * newest reason.
 */
export async function replayRejects(
  rejects: Pick<RejectStore, 'find' | 'changeReason' | 'remove'>,
  replays: Replays,
  ids: readonly number[],
): Promise<ReplayReport> {
  const report: ReplayReport = { replayed: 0, rejected: [] }
  for (const id of [...new Set(ids)].toSorted((one, other) => one - other)) {
    const reject = await rejects.find(id)
    if (reject === undefined) {
      report.rejected.push({ id, message: 'there is no such reject' })
      continue
    }
    const outcome = await replays[reject.kind](reject)
    if (outcome.problem !== undefined) {
      if (outcome.problem !== reject.reason) await rejects.changeReason(reject, outcome.problem)
      report.rejected.push({ id, message: outcome.problem })
      continue
    }
    await rejects.remove([id])
    report.replayed++
  }
  return report
}

/**
 * Stores what a person has made of a reject, and removes it. Refuses with the reason where it cannot be
 * stored: the reject stays as it was received.
 */
export async function repairReject(
  rejects: Pick<RejectStore, 'find' | 'remove'>,
  replays: Replays,
  { id, payload }: Pick<Reject, 'payload'> & { id: number },
): Promise<void> {
  const reject = await rejects.find(id)
  if (reject === undefined) throw new RefusedError('absent', `There is no reject ${id}.`)
  const { problem } = await replays[reject.kind]({ ...reject, payload })
  if (problem !== undefined) throw new RefusedError('invalid', problem)
  await rejects.remove([id])
}
