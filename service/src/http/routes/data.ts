import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getStationsData, getThemeData, STATIONS_MAXIMUM } from '@plumbline/contract'
import type { CatalogueSensor, CatalogueStation } from '../../domain/catalogue.ts'
import { RefusedError } from '../../domain/refused-error.ts'
import type { RecordQuery, Storage } from '../../storage/storage.ts'
import { sendJson } from '../json-stream.ts'
import { readStationIds } from '../list-texts.ts'
import { checkWindow, toInstants } from '../window.ts'

type Options = { storage: Pick<Storage, 'data'> }

export const dataRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { storage }) => {
  app.route({
    ...getThemeData,
    handler: async ({ caller, query }, reply) => {
      const { startTime, endTime, limit } = query
      const ids = readStationIds(query.stations, STATIONS_MAXIMUM)
      if (limit === undefined && (startTime === undefined || endTime === undefined))
        throw new RefusedError(
          'invalid',
          `the query parameter "${startTime === undefined ? 'startTime' : 'endTime'}" is missing: without "limit" both ends of the window are needed`,
        )
      checkWindow({ startTime, endTime })
      const stations = ids.map((id) => caller.findStation(id))
      for (const { entry } of stations) caller.permit(entry.structure, `Station ${entry.id}`)
      const queryOf = ({ entry, structure }: CatalogueStation) =>
        ({
          kind: 'theme',
          source: entry.id,
          ...toInstants({ startTime, endTime }, structure.zone),
          ...(limit === undefined ? {} : { newest: limit }),
          shape: 'flat',
        }) as const
      return sendJson(reply, {
        plain: () => writeThemeData(stations, (station) => storage.data.read(queryOf(station))),
        gzip: () =>
          writeThemeData(stations, (station) => storage.data.readDeflated(queryOf(station))),
      })
    },
  })

  app.route({
    ...getStationsData,
    handler: async ({ caller, params, query, body }, reply) => {
      const { structureId, factorId } = params
      checkWindow(query)
      const { zone } = caller.findStructure(structureId)
      caller.findFactor(factorId)
      const stations = [...new Set(body.stations)].map((id) => caller.findStation(id))
      refuseStrays(stations, structureId, factorId)
      caller.permit(structureId)
      const window = toInstants(query, zone)
      const sensors = listSensors(stations, caller.catalogue.sensors)
      const read = (kind: RecordQuery['kind'], source: number) =>
        storage.data.read({ kind, source, ...window, shape: 'nested' })
      return sendJson(reply, writeStationsData(stations, sensors, read))
    },
  })
}

function refuseStrays(stations: readonly CatalogueStation[], structure: number, factor: number) {
  const stray = stations.find(
    ({ entry }) => entry.structure !== structure || entry.factor !== factor,
  )
  if (stray !== undefined)
    throw new RefusedError(
      'absent',
      `Structure ${structure} has no station ${stray.entry.id} for factor ${factor}.`,
    )
}

const listSensors = (
  stations: readonly CatalogueStation[],
  known: ReadonlyMap<string, CatalogueSensor>,
): CatalogueSensor[] =>
  [...new Set(stations.flatMap(({ entry }) => entry.from?.sensors ?? []))]
    .map((id) => known.get(id))
    .filter((sensor) => sensor !== undefined)

type Item = { key: string; name: string; unit: string }

/** One entry a key, of the first that has it; a list of pairs, since keys are data. */
function itemMap(lists: readonly (readonly Item[])[]): string {
  const texts = new Map<string, string>()
  for (const { key, name, unit } of lists.flat())
    if (!texts.has(key)) texts.set(key, `${JSON.stringify(key)}:${JSON.stringify({ name, unit })}`)
  return `{${[...texts.values()].join(',')}}`
}

/** The start of an object that goes on with its records. */
const opening = (id: number | string, name: string): string =>
  `{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"data":[`

async function* writeThemeData<Records>(
  stations: readonly CatalogueStation[],
  read: (station: CatalogueStation) => AsyncIterable<Records>,
): AsyncGenerator<string | Records> {
  const items = itemMap(stations.map(({ factor }) => factor.items))
  yield `{"items":${items},"stations":[`
  yield* writeSources(stations, ({ entry }) => opening(entry.id, entry.name), read)
  yield `]}`
}

async function* writeStationsData<Records>(
  stations: readonly CatalogueStation[],
  sensors: readonly CatalogueSensor[],
  read: (kind: RecordQuery['kind'], source: number) => AsyncIterable<Records>,
): AsyncGenerator<string | Records> {
  const themeItems = itemMap(stations.map(({ factor }) => factor.items))
  yield `{"theme":{"items":${themeItems},"stations":[`
  yield* writeSources(
    stations,
    ({ entry }) => opening(entry.id, entry.name),
    ({ entry }) => read('theme', entry.id),
  )
  const rawItems = itemMap(sensors.map(({ entry }) => entry.items))
  yield `]},"raw":{"items":${rawItems},"sensors":[`
  yield* writeSources(
    sensors,
    ({ entry }) => opening(entry.id, entry.name),
    ({ key }) => read('raw', key),
  )
  yield `]}}`
}

async function* writeSources<Source, Records>(
  sources: readonly Source[],
  open: (source: Source) => string,
  read: (source: Source) => AsyncIterable<Records>,
): AsyncGenerator<string | Records> {
  for (const [index, source] of sources.entries()) {
    yield (index === 0 ? '' : ',') + open(source)
    let isFirst = true
    for await (const records of read(source)) {
      if (!isFirst) yield ','
      isFirst = false
      yield records
    }
    yield `]}`
  }
}
