import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  deleteRecords as deleteOperation,
  listSensorRecords,
  listStationRecords,
} from '@plumbline/contract'
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
import { parseInstant, type Zone } from '../../domain/time/local-time.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { checkManageWindow, toManageInstants } from '../requests/manage-window.ts'
import { readQualified } from '../responses/qualified-records.ts'

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
    ...listStationRecords,
    handler: async ({ caller, params: { stationId }, query }) => {
      const station = caller.findStation(stationId)
      caller.permit(station.entry.structure, `station ${stationId}`)
      const source = { kind: 'theme', source: stationId } as const
      const page = readPage(query, station.structure.zone)
      return readQualified(storage.records, station, { ...source, ...page })
    },
  })

  app.route({
    ...listSensorRecords,
    handler: async ({ caller, params: { sensorId }, query }) => {
      const sensor = caller.catalogue.sensors.get(sensorId.toLowerCase())
      if (sensor === undefined) throw new RefusedError('absent', `There is no sensor ${sensorId}.`)
      caller.permit(sensor.entry.structure, `sensor ${sensor.entry.id}`)
      const source = { kind: 'raw', source: sensor.key } as const
      const page = readPage(query, sensor.structure.zone)
      return readQualified(storage.records, sensor, { ...source, ...page })
    },
  })

  app.route({
    ...deleteOperation,
    handler: async ({ caller, body, log }) => {
      const { startTime, endTime, dryRun = false, ...choice } = body
      checkManageWindow({ startTime, endTime })
      const target = chooseTarget(caller.catalogue, choice)
      caller.permit(target.structure)
      const { zone } = caller.findStructure(target.structure)
      const deletion = { target, span: toManageInstants({ startTime, endTime }, zone) }
      const stations = affectedStations(target)
      const { sponsor } = caller
      if (dryRun) {
        const { records, left } = await previewDeletion(parts, deletion, commits.horizon())
        const alarms = await rewindAlarms(
          { commits, storage },
          { stations, sponsor, now: clock.now(), preview: left },
        )
        return { change: null, records, alarms }
      }
      const description = `${target.description} from ${startTime} to ${endTime}, by user ${sponsor}`
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

type PageQuery = { startTime: string; endTime: string; after?: string; limit: number }

/** The window of a page: after the last record of the page before. */
function readPage({ startTime, endTime, after, limit }: PageQuery, zone: Zone) {
  checkManageWindow({ startTime, endTime })
  const { from, to } = toManageInstants({ startTime, endTime }, zone)
  if (after === undefined) return { from, to, limit }
  const last = parseInstant(after, zone)
  if (last === undefined)
    throw new RefusedError(
      'invalid',
      `the parameter "after" must be the time of a record, such as 2026-01-31T08:30:00.250+08:00`,
    )
  return { from: Math.max(from, last + 1), to, limit }
}
