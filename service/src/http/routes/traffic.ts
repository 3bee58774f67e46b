import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getTrafficFlow, type TrafficFlow } from '@plumbline/contract'
import type { TrafficSettings } from '../../domain/site/site-entry.ts'
import type { Storage } from '../../storage/storage.ts'
import { sendJson } from '../responses/send-json.ts'
import { checkWindow, toInstants } from '../requests/window.ts'

type TrafficRoutesOptions = { storage: Pick<Storage, 'traffic'> }

/** Names of fields without a name in the site file. */
const FIELD_NAMES = {
  license: 'License plate',
  time: 'Time',
  lane: 'Lane',
  direction: 'Direction',
  axleCount: 'Axle count',
  load: 'Weight',
  axleLoad: 'Axle weight',
  overload: 'Overload',
} as const

const DEFAULT_SETTINGS: TrafficSettings = { loadUnit: 't', axleLoadUnit: 't', names: {} }

export const trafficRoutes: FastifyPluginAsyncTypebox<TrafficRoutesOptions> = async (
  app,
  { storage },
) => {
  app.route({
    ...getTrafficFlow,
    handler: async ({ caller, params, query }, reply) => {
      checkWindow(query)
      const { entry, zone } = caller.findStructure(params.structureId)
      caller.permit(entry.id)
      const { overload, loadFloor, license } = query
      const records = storage.traffic.read({
        structure: entry.id,
        ...toInstants(query, zone),
        overload,
        loadFloor,
        license: license === '' ? undefined : license,
      })
      return sendJson(reply, writeTrafficFlow(describeItems(entry.traffic), records))
    },
  })
}

function describeItems(settings: TrafficSettings | null): TrafficFlow['items'] {
  const { loadUnit, axleLoadUnit, names } = settings ?? DEFAULT_SETTINGS
  const named = (field: keyof typeof FIELD_NAMES) => ({
    name: (Object.hasOwn(names, field) ? names[field] : undefined) ?? FIELD_NAMES[field],
  })
  return {
    license: named('license'),
    time: named('time'),
    lane: named('lane'),
    direction: named('direction'),
    axleCount: named('axleCount'),
    load: { ...named('load'), unit: loadUnit },
    axleLoad: { ...named('axleLoad'), unit: axleLoadUnit },
    overload: named('overload'),
  }
}

async function* writeTrafficFlow(
  items: TrafficFlow['items'],
  records: AsyncIterable<Uint8Array>,
): AsyncGenerator<string | Uint8Array> {
  yield `{"items":${JSON.stringify(items)},"data":[`
  let isFirst = true
  for await (const chunk of records) {
    if (!isFirst) yield ','
    isFirst = false
    yield chunk
  }
  yield ']}'
}
