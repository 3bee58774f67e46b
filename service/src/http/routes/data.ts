import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getStationsData, getThemeData } from '@plumbline/contract'
import type { CatalogueSensor, CatalogueStation } from '../../domain/site/catalogue.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { RecordQuery, Storage } from '../../storage/storage.ts'
import { sendJson } from '../responses/send-json.ts'
import { opening, writeSources, type ItemTexts } from '../responses/source-texts.ts'
import { themeData, type ThemeSource } from '../responses/theme-data.ts'
import { checkWindow, toInstants } from '../requests/window.ts'

type DataRoutesOptions = { storage: Pick<Storage, 'records'>; source: ThemeSource }

export const dataRoutes: FastifyPluginAsyncTypebox<DataRoutesOptions> = async (
  app,
  { storage, source },
) => {
  app.route({
    ...getThemeData,
    handler: async ({ caller, query }, reply) => sendJson(reply, themeData(caller, query, source)),
  })

  app.route({
    ...getStationsData,
    handler: async ({ caller, params, query, body }, reply) => {
      const { structureId, factorId } = params
      checkWindow(query)
      const { zone } = caller.findStructure(structureId)
      caller.findFactor(factorId)
      const stations = [...new Set(body.stations)].map((id) => caller.findStation(id))
      requireStationsOf(stations, structureId, factorId)
      caller.permit(structureId)
      const window = toInstants(query, zone)
      const sensors = listSensors(stations, caller.catalogue.sensors)
      const read = (kind: RecordQuery['kind'], id: number) =>
        storage.records.read({ kind, source: id, ...window, shape: 'nested' })
      return sendJson(reply, writeStationsData(source.items, stations, sensors, read))
    },
  })
}

function requireStationsOf(
  stations: readonly CatalogueStation[],
  structure: number,
  factor: number,
) {
  const other = stations.find(
    ({ entry }) => entry.structure !== structure || entry.factor !== factor,
  )
  if (other !== undefined)
    throw new RefusedError(
      'absent',
      `Structure ${structure} has no station ${other.entry.id} for factor ${factor}.`,
    )
}

const listSensors = (
  stations: readonly CatalogueStation[],
  sensors: ReadonlyMap<string, CatalogueSensor>,
): CatalogueSensor[] =>
  [...new Set(stations.flatMap(({ entry }) => entry.from?.sensors ?? []))]
    .map((id) => sensors.get(id))
    .filter((sensor) => sensor !== undefined)

async function* writeStationsData<Records>(
  items: ItemTexts,
  stations: readonly CatalogueStation[],
  sensors: readonly CatalogueSensor[],
  read: (kind: RecordQuery['kind'], source: number) => AsyncIterable<Records>,
): AsyncGenerator<string | Records> {
  const themeItems = items.write(stations.map(({ factor }) => factor.items))
  yield* writeSources(
    { start: `{"theme":{"items":${themeItems},"stations":[`, end: ']},' },
    stations,
    ({ entry }) => opening(entry.id, entry.name),
    ({ entry }) => read('theme', entry.id),
  )
  const rawItems = items.write(sensors.map(({ entry }) => entry.items))
  yield* writeSources(
    { start: `"raw":{"items":${rawItems},"sensors":[`, end: ']}}' },
    sensors,
    ({ entry }) => opening(entry.id, entry.name),
    ({ key }) => read('raw', key),
  )
}
