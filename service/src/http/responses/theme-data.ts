import { STATIONS_MAXIMUM, type getThemeData } from '@plumbline/contract'
import type { Static } from 'typebox'
import type { CatalogueStation } from '../../domain/site/catalogue.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Caller } from '../security/caller.ts'
import { readStationIds } from '../requests/list-texts.ts'
import { opening, writeSources, type ItemTexts } from './source-texts.ts'
import { checkWindow, toInstants } from '../requests/window.ts'
import type { JsonChunks } from './write-json.ts'

export type ThemeSource = {
  data: Pick<Storage['records'], 'read' | 'readDeflated'>
  /** The last instant at which a record counts as newest. */
  horizon(): number
  items: ItemTexts
}

type ThemeQuery = Static<(typeof getThemeData)['schema']['querystring']>

/** The response of `GET /stations/theme/data`; throws `RefusedError` before the first chunk. */
export function themeData(
  caller: Caller,
  query: ThemeQuery,
  { data, horizon, items }: ThemeSource,
): JsonChunks {
  const { startTime, endTime, limit } = query
  const ids = readStationIds(query.stations, STATIONS_MAXIMUM)
  if (limit === undefined && (startTime === undefined || endTime === undefined))
    throw new RefusedError(
      'invalid',
      `the query parameter "${startTime === undefined ? 'startTime' : 'endTime'}" is missing: without "limit" both "startTime" and "endTime" are required`,
    )
  checkWindow({ startTime, endTime })
  const stations = ids.map((id) => caller.findStation(id))
  for (const { entry } of stations) caller.permit(entry.structure, `station ${entry.id}`)
  const last = limit === undefined ? Infinity : horizon()
  const queryOf = ({ entry, structure }: CatalogueStation) => {
    const { from, to } = toInstants({ startTime, endTime }, structure.zone)
    return {
      kind: 'theme',
      source: entry.id,
      from,
      to: Math.min(to, last),
      ...(limit === undefined ? {} : { newest: limit }),
      shape: 'flat',
    } as const
  }
  return {
    plain: () => writeThemeData(items, stations, (station) => data.read(queryOf(station))),
    gzip: () => writeThemeData(items, stations, (station) => data.readDeflated(queryOf(station))),
  }
}

function writeThemeData<Records>(
  items: ItemTexts,
  stations: readonly CatalogueStation[],
  read: (station: CatalogueStation) => AsyncIterable<Records>,
): AsyncGenerator<string | Records> {
  const itemsText = items.write(stations.map(({ factor }) => factor.items))
  const frame = { start: `{"items":${itemsText},"stations":[`, end: ']}' }
  return writeSources(frame, stations, ({ entry }) => opening(entry.id, entry.name), read)
}
