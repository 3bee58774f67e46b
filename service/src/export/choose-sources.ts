import type { Catalogue, CatalogueSensor, CatalogueStation } from '../domain/site/catalogue.ts'
import { RefusedError } from '../errors/refused-error.ts'
import type { RecordKind } from '../storage/storage.ts'
import type { ExportSource } from './columns.ts'

/** Some stations, or all stations of a structure. */
export type ExportChoice = { stations: readonly number[] } | { structure: number }

/** The sources of the records: the chosen stations or, for raw records, their sensors. */
export function chooseSources(
  catalogue: Catalogue,
  kind: RecordKind,
  choice: ExportChoice,
): ExportSource[] {
  const stations = chooseStations(catalogue, choice)
  const sources =
    kind === 'theme'
      ? stations.map(ofStation)
      : chooseSensors(catalogue, choice, stations).map(ofSensor)
  if (sources.length > 0) return sources
  const missing = kind === 'theme' ? 'stations' : 'sensors'
  const owner = 'structure' in choice ? `Structure ${choice.structure} has` : 'These stations have'
  throw new RefusedError('absent', `${owner} no ${missing}.`)
}

function chooseStations(catalogue: Catalogue, choice: ExportChoice): CatalogueStation[] {
  if ('structure' in choice)
    return [...catalogue.stations.values()].filter(
      ({ entry }) => entry.structure === choice.structure,
    )
  const ids = [...new Set(choice.stations)]
  const stations = ids.map((id) => catalogue.stations.get(id))
  const unknown = ids.filter((id) => !catalogue.stations.has(id))
  if (unknown.length > 0)
    throw new RefusedError(
      'absent',
      `There is no station ${unknown.join(', ')}; nothing was exported.`,
    )
  return stations.filter((station) => station !== undefined)
}

function chooseSensors(
  { sensors }: Catalogue,
  choice: ExportChoice,
  stations: readonly CatalogueStation[],
): CatalogueSensor[] {
  const isChosen = ({ entry, feeds }: CatalogueSensor): boolean =>
    'structure' in choice
      ? entry.structure === choice.structure
      : feeds.some((station) => stations.includes(station))
  return [...sensors.values()].filter(isChosen)
}

const ofStation = ({ entry, factor, structure }: CatalogueStation): ExportSource => ({
  source: entry.id,
  id: String(entry.id),
  name: entry.name,
  zone: structure.zone,
  items: factor.items,
})

const ofSensor = ({ entry, key, structure }: CatalogueSensor): ExportSource => ({
  source: key,
  id: entry.id,
  name: entry.name,
  zone: structure.zone,
  items: entry.items,
})
