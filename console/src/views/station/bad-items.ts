import type { Series } from '@plumbline/client'
import { client } from '../../state/api.ts'
import type { StationPlace } from '../../state/station-place.ts'
import { keysOfRecords, type StationRecords } from './chart-data.ts'
import type { StationItems } from './lines.ts'

type Read = { series: Series | undefined; single: readonly StationRecords[] | undefined }

/** Items that stations have bad values of only, which summaries do not name. */
export async function findBadItems(
  places: readonly StationPlace[],
  { series, single }: Read,
  signal: AbortSignal,
): Promise<StationItems[]> {
  const found = places.map((place) => {
    const own = single?.find(({ stationId }) => stationId === place.id)
    const { items = {} } = series?.stations.find(({ id }) => id === place.id) ?? {}
    const keys = own ? keysOfRecords(own.records).filter((key) => !(key in items)) : []
    return { place, keys }
  })
  const missing = found.filter(({ keys }) => keys.length > 0)
  const structureIds = [...new Set(missing.map(({ place }) => place.structure.id))]
  const states = await Promise.all(
    structureIds.map((structureId) => client.getStructureState({ structureId }, { signal })),
  )
  const factors = states.flatMap((state) => state.factors)
  return missing.map(({ place, keys }) => {
    const declared = factors.find(({ id }) => id === place.factor.id)?.items ?? []
    return { stationId: place.id, items: declared.filter(({ key }) => keys.includes(key)) }
  })
}
