import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  countAlarms,
  listAlarmDetails,
  listAlarms,
  type Alarm,
  type AlarmFilter,
  type AlarmList,
} from '@plumbline/contract'
import type { Catalogue } from '../../domain/catalogue.ts'
import { RefusedError } from '../../domain/refused-error.ts'
import type { Scope, Storage, StoredAlarm } from '../../storage/storage.ts'
import type { Caller } from '../caller.ts'
import { checkWindow } from '../window.ts'

type Options = { storage: Pick<Storage, 'alarms'> }

const SOURCE_TYPES = ['DTU', 'sensor', 'station'] as const

export const alarmRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { storage }) => {
  app.route({
    ...countAlarms,
    handler: async ({ caller, params }) => {
      caller.requireUser(params.userId)
      return { count: await storage.alarms.count(caller.scope, params.status) }
    },
  })

  app.route({
    ...listAlarms,
    handler: async ({ caller, params, query, body }) => {
      const { limit, offset, orderBy, orderDirection, ...inQuery } = query
      const filter = body === undefined ? inQuery : { ...inQuery, ...body }
      const { status, startTime, endTime, keywords } = filter
      checkWindow({ startTime, endTime })
      caller.requireUser(params.userId)
      const { count, alarms } = await storage.alarms.list({
        scope: narrow(caller, filter),
        status,
        levels: filled(filter.levels),
        categories: filled(filter.types),
        startTime,
        endTime,
        keywords: keywords === '' ? undefined : keywords,
        orderBy,
        orderDirection,
        limit,
        offset,
      })
      return { count, alarms: groupByStructure(alarms, caller.catalogue) }
    },
  })

  app.route({
    ...listAlarmDetails,
    handler: async ({ caller, params }) => {
      const structure = await storage.alarms.findStructure(params.alarmId)
      if (structure === undefined)
        throw new RefusedError('absent', `There is no alarm ${params.alarmId}.`)
      caller.permit(structure, `Alarm ${params.alarmId}`)
      return storage.alarms.listDetails(params.alarmId)
    },
  })
}

/** An empty list narrows nothing: clients send the filters nobody has touched. */
const filled = (values: readonly number[] | undefined): readonly number[] | undefined =>
  values?.length === 0 ? undefined : values

function narrow(caller: Caller, { structures }: AlarmFilter): Scope {
  const wanted = filled(structures)
  if (wanted === undefined) return caller.scope
  for (const id of wanted) caller.findStructure(id)
  for (const id of wanted) caller.permit(id)
  return wanted
}

/** In the order in which the structures appear on the page. */
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

const toAlarm = ({ id, source, sourceType, ...alarm }: StoredAlarm): Alarm => ({
  id,
  source,
  sourceType: { id: sourceType, name: SOURCE_TYPES[sourceType] ?? '' },
  alarmTypeCode: alarm.alarmTypeCode,
  level: alarm.level,
  content: alarm.content,
  count: alarm.count,
  state: alarm.state,
  startTime: alarm.startTime,
  endTime: alarm.endTime,
})
