import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listChanges, undoChange as undoOperation } from '@plumbline/contract'
import type { Commits } from '../../commit/commits.ts'
import type { Storage } from '../../storage/storage.ts'
import { refuseUndone, undoChange } from '../../undo/undo-change.ts'
import { undoUntil } from '../../undo/undo-until.ts'
import { requireAllStructures } from '../security/require-all-structures.ts'

type ChangeRoutesOptions = {
  storage: Storage
  commits: Commits
  /** Days that a change can be undone; 0: for ever. */
  keepChangesDays: number
}

const REWRITING_PROBLEM =
  'A rewriting of records is undone while no service runs. Stop the service, and run "plumbline undo".'

/** For users who may see every structure, since a change may be of any of them. */
export const changeRoutes: FastifyPluginAsyncTypebox<ChangeRoutesOptions> = async (
  app,
  { storage, commits, keepChangesDays },
) => {
  requireAllStructures(app, 'changes')

  app.route({
    ...listChanges,
    handler: async ({ query: { before = Infinity, limit } }) => {
      const changes = (await storage.changes.list()).filter(({ id }) => id < before)
      return {
        changes: changes
          .slice(-limit)
          .toReversed()
          .map((change) => ({ ...change, undoUntil: undoUntil(change, keepChangesDays) })),
      }
    },
  })

  app.route({
    ...undoOperation,
    // It is not stopped when the client goes away: a half undone change is worse than a late response.
    handler: async ({ params: { changeId }, body: { keep = false }, audit }) => {
      const undone = await undoChange({ storage, commits }, changeId, {
        keep,
        rewritingProblem: REWRITING_PROBLEM,
      })
      refuseUndone(undone)
      const { records, waveforms, alarms } = undone
      audit.after = { keep, records, waveforms, alarms }
      return { change: changeId, records, waveforms, alarms: [...alarms] }
    },
  })
}
