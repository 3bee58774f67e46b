import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { deleteRecords as deleteOperation } from '@plumbline/contract'
import type { AlarmEngine } from '../../alarms/alarm-engine.ts'
import { rewindAlarms } from '../../alarms/rewind-alarms.ts'
import { beginChange } from '../../ingest/changes/begin-change.ts'
import { deleteRecords } from '../../ingest/deletion/delete-records.ts'
import { affectedStations } from '../../ingest/deletion/deletion-count.ts'
import { chooseTarget } from '../../ingest/deletion/deletion-target.ts'
import { arriveAt, type Door } from '../../ingest/records/door.ts'
import { foreseeDeletion } from '../../ingest/deletion/foresee-deletion.ts'
import type { Storage } from '../../storage/storage.ts'
import { checkWindow, toInstants } from '../requests/window.ts'

type Options = {
  door: Door
  alarms: AlarmEngine
  storage: Pick<Storage, 'data' | 'changes' | 'alarms'>
}

export const recordRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { door, alarms, storage },
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
        const { records, left } = await foreseeDeletion(door, deletion, alarms.horizon())
        const would = await rewindAlarms(
          { alarms, storage },
          { stations, sponsor, now: door.now(), foreseen: left },
        )
        return { change: null, records, alarms: would }
      }
      const description = `${target.description} from ${startTime} to ${endTime}, by user ${caller.userId}`
      const { id: change, isResumed } = await beginChange(
        storage.changes,
        { kind: 'deletion', description },
        arriveAt(door),
      )
      const records = await deleteRecords(door, storage.changes, {
        ...deletion,
        change,
        isResumed,
      })
      const rewound = await rewindAlarms(
        { alarms, storage },
        { stations, sponsor, now: door.now() },
      )
      await storage.changes.finish(change, door.now())
      log.info({ user: caller.userId, change, ...records }, 'records were deleted')
      return { change, records, alarms: rewound }
    },
  })
}
