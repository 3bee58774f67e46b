import type { Catalogue, CatalogueSensor, CatalogueStation } from '../domain/site/catalogue.ts'
import { RETAINED_KINDS } from '../domain/records/record-sources.ts'
import { RefusedError } from '../errors/refused-error.ts'
import type { RetainedKind } from '../domain/retention/retained-kind.ts'

/** The records to delete: of a station, a sensor or a structure, or of a factor of a structure. */
export type DeletionChoice = {
  station?: number | undefined
  sensor?: string | undefined
  structure?: number | undefined
  factor?: number | undefined
  /** Without it every kind of records that the target has. */
  kinds?: readonly RetainedKind[] | undefined
}

export type DeletionTarget = {
  structure: number
  stations: readonly CatalogueStation[]
  sensors: readonly CatalogueSensor[]
  kinds: ReadonlySet<RetainedKind>
  /** `station 1041`. */
  name: string
  /** `station 1041: theme, vibration`. */
  description: string
}

/** Finds the target of a choice in the site; refuses a choice that names none. */
export function chooseTarget(catalogue: Catalogue, choice: DeletionChoice): DeletionTarget {
  const found = find(catalogue, choice)
  const chosen = choice.kinds ?? found.has
  const unknown = chosen.find((kind) => !found.has.includes(kind))
  if (unknown !== undefined)
    throw new RefusedError('invalid', `${found.name} has no ${unknown} records of its own`)
  const kinds = RETAINED_KINDS.filter((kind) => chosen.includes(kind))
  return {
    structure: found.structure,
    stations: found.stations,
    sensors: found.sensors,
    kinds: new Set(kinds),
    name: found.name,
    description: `${found.name}: ${kinds.join(', ')}`,
  }
}

type NamedTarget = Omit<DeletionTarget, 'kinds' | 'description'> & {
  has: readonly RetainedKind[]
}

function find(
  catalogue: Catalogue,
  { station, sensor, structure, factor }: DeletionChoice,
): NamedTarget {
  const named = [station, sensor, structure].filter((one) => one !== undefined)
  if (named.length !== 1) throw mustNameOne()
  if (factor !== undefined && structure === undefined)
    throw new RefusedError('invalid', 'a factor can be named together with a structure only')
  if (station !== undefined) return ofStation(catalogue, station)
  if (sensor !== undefined) return ofSensor(catalogue, sensor)
  if (structure !== undefined) return ofStructure(catalogue, structure, factor)
  throw mustNameOne()
}

function ofStation({ stations }: Catalogue, id: number): NamedTarget {
  const station = stations.get(id)
  if (station === undefined) throw absent(`station ${id}`)
  return {
    name: `station ${id}`,
    structure: station.structure.entry.id,
    stations: [station],
    sensors: [],
    has: ['theme', 'vibration'],
  }
}

function ofSensor({ sensors }: Catalogue, id: string): NamedTarget {
  const sensor = sensors.get(id.toLowerCase())
  if (sensor === undefined) throw absent(`sensor ${id}`)
  return {
    name: `sensor ${sensor.entry.id}`,
    structure: sensor.structure.entry.id,
    stations: [],
    sensors: [sensor],
    has: ['raw'],
  }
}

function ofStructure(catalogue: Catalogue, id: number, factor: number | undefined): NamedTarget {
  if (!catalogue.structures.has(id)) throw absent(`structure ${id}`)
  if (factor !== undefined && !catalogue.factors.has(factor)) throw absent(`factor ${factor}`)
  const isChosen = ({ entry }: CatalogueStation) =>
    entry.structure === id && (factor === undefined || entry.factor === factor)
  const stations = [...catalogue.stations.values()].filter(isChosen)
  const sensors = [...catalogue.sensors.values()].filter(({ structure, feeds }) =>
    factor === undefined ? structure.entry.id === id : feeds.some(isChosen),
  )
  const has = factor === undefined ? RETAINED_KINDS : (['theme', 'raw', 'vibration'] as const)
  const name = factor === undefined ? `structure ${id}` : `structure ${id} factor ${factor}`
  return { name, structure: id, stations, sensors, has }
}

const mustNameOne = () =>
  new RefusedError('invalid', 'name one of a station, a sensor and a structure')

const absent = (what: string) => new RefusedError('absent', `There is no ${what}.`)
