import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  confirmAlarm as confirmOperation,
  countAlarms,
  getAlarmSnapshot,
  listAlarmDetails,
  listAlarms,
  listAlarmSnapshots,
  type AlarmList,
  type AlarmSnapshot,
} from '@plumbline/contract'
import { confirmAlarm } from '../../alarms/confirm.ts'
import type { AlarmCommits } from '../../alarms/alarm-commits.ts'
import type { Catalogue } from '../../domain/site/catalogue.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { Storage, StoredAlarm } from '../../storage/storage.ts'
import { alarmFilter } from '../requests/alarm-filter.ts'
import { toAlarm } from '../responses/alarm.ts'
import { sendBytes } from '../responses/send-bytes.ts'
import type { Caller } from '../security/caller.ts'

type AlarmRoutesOptions = { storage: Pick<Storage, 'alarms'> }

export const alarmRoutes: FastifyPluginAsyncTypebox<AlarmRoutesOptions> = async (
  app,
  { storage },
) => {
  app.route({
    ...countAlarms,
    handler: async ({ caller, params }) => {
      caller.permitUser(caller.findUser(params.userId))
      return { count: await storage.alarms.count(caller.scope, params.status) }
    },
  })

  app.route({
    ...listAlarms,
    handler: async ({ caller, params, query, body }) => {
      const { limit, offset, orderBy, orderDirection, ...inQuery } = query
      const filter = body === undefined ? inQuery : { ...inQuery, ...body }
      const user = caller.findUser(params.userId)
      const found = alarmFilter(caller, filter, () => caller.permitUser(user))
      const page = { limit, offset, orderBy, orderDirection }
      const { count, alarms } = await storage.alarms.list({ ...found, ...page })
      return { count, alarms: groupByStructure(alarms, caller.catalogue) }
    },
  })

  app.route({
    ...listAlarmDetails,
    handler: async ({ caller, params }) => {
      const structure = await storage.alarms.findStructure(params.alarmId)
      if (structure === undefined)
        throw new RefusedError('absent', `There is no alarm ${params.alarmId}.`)
      caller.permit(structure, `alarm ${params.alarmId}`)
      return storage.alarms.listDetails(params.alarmId)
    },
  })
}

type AlarmManageOptions = {
  storage: Pick<Storage, 'alarms' | 'snapshots'>
  commits: AlarmCommits
  now(): number
}

export const alarmManageRoutes: FastifyPluginAsyncTypebox<AlarmManageOptions> = async (
  app,
  { storage, commits, now },
) => {
  /** Throws 404 without the alarm, 403 for a caller who may not see its structure. */
  const permitAlarm = async (caller: Caller, alarm: number): Promise<number> => {
    const structure = await storage.alarms.findStructure(alarm)
    if (structure === undefined) throw new RefusedError('absent', `There is no alarm ${alarm}.`)
    caller.permit(structure, `alarm ${alarm}`)
    return structure
  }

  app.route({
    ...confirmOperation,
    handler: async ({ caller, params, body }) => {
      const { alarmId: id } = params
      await permitAlarm(caller, id)
      const confirmation = { id, user: caller.sponsor, comment: body.comment, now: now() }
      return toAlarm(await confirmAlarm({ commits, storage }, caller.catalogue, confirmation))
    },
  })

  app.route({
    ...listAlarmSnapshots,
    handler: async ({ caller, params: { alarmId } }): Promise<AlarmSnapshot[]> => {
      const { zone } = caller.findStructure(await permitAlarm(caller, alarmId))
      const snapshots = await storage.snapshots.list(alarmId)
      return snapshots.map(({ id, camera, takenAt, problem }) => {
        const time = takenAt === null ? null : zone.toLocal(takenAt)
        return { id, camera, time, problem }
      })
    },
  })

  app.route({
    ...getAlarmSnapshot,
    handler: async ({ caller, params: { alarmId, snapshotId } }, reply) => {
      await permitAlarm(caller, alarmId)
      const picture = await storage.snapshots.findPicture(alarmId, snapshotId)
      if (picture === undefined)
        throw new RefusedError('absent', `Alarm ${alarmId} has no picture ${snapshotId}.`)
      return sendBytes(reply, getAlarmSnapshot.produces, picture)
    },
  })
}

/** Groups the alarms of a page in the order of their structures on it. */
function groupByStructure(
  alarms: readonly StoredAlarm[],
  { structures }: Catalogue,
): AlarmList['alarms'] {
  const groups = Map.groupBy(alarms, ({ structure }) => structure)
  return Array.from(groups, ([structureId, members]) => ({
    structureId,
    structureName: structures.get(structureId)?.entry.name ?? '',
    alarms: members.map(toAlarm),
  }))
}
