import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { deleteRecords as deleteOperation } from '@plumbline/contract'
import type { AlarmCommits } from '../../alarms/alarm-commits.ts'
import { rewindAlarms } from '../../alarms/rewind-alarms.ts'
import { beginChange } from '../../commit/begin-change.ts'
import { deleteRecords } from '../../deletion/delete-records.ts'
import { affectedStations } from '../../deletion/deletion-count.ts'
import { chooseTarget } from '../../deletion/deletion-target.ts'
import type { DeletionDependencies } from '../../deletion/deletion-dependencies.ts'
import type { RecordIngest } from '../../ingest/record-ingest.ts'
import { previewDeletion } from '../../deletion/preview-deletion.ts'
import type { Storage } from '../../storage/storage.ts'
import { checkWindow, toInstants } from '../requests/window.ts'

type RecordRoutesOptions = {
  deletion: DeletionDependencies
  ingest: Pick<RecordIngest, 'clock'>
  commits: AlarmCommits
  storage: Pick<Storage, 'records' | 'changes' | 'alarms'>
}

export const recordRoutes: FastifyPluginAsyncTypebox<RecordRoutesOptions> = async (
  app,
  { deletion: parts, ingest: { clock }, commits, storage },
) => {
  app.route({
    ...deleteOperation,
    handler: async ({ caller, body, log }) => {
      const { startTime, endTime, dryRun = false, ...choice } = body
      checkWindow({ startTime, endTime })
      const target = chooseTarget(caller.catalogue, choice)
      caller.permit(target.structure)
      const { zone } = caller.findStructure(target.structure)
      const deletion = { target, span: toInstants({ startTime, endTime }, zone) }
      const stations = affectedStations(target)
      const sponsor = String(caller.userId)
      if (dryRun) {
        const { records, left } = await previewDeletion(parts, deletion, commits.horizon())
        const alarms = await rewindAlarms(
          { commits, storage },
          { stations, sponsor, now: clock.now(), preview: left },
        )
        return { change: null, records, alarms }
      }
      const description = `${target.description} from ${startTime} to ${endTime}, by user ${caller.userId}`
      const { id: change, isResumed } = await beginChange(
        storage.changes,
        { kind: 'deletion', description },
        clock.arrive().now,
      )
      const records = await deleteRecords(parts, storage.changes, {
        ...deletion,
        change,
        isResumed,
      })
      const alarms = await rewindAlarms(
        { commits, storage },
        { stations, sponsor, now: clock.now() },
      )
      await storage.changes.finish(change, clock.now())
      log.info({ user: caller.userId, change, ...records }, 'records were deleted')
      return { change, records, alarms }
    },
  })
}
