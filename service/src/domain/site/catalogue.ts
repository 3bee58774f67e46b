import { prepareDerivation, type Derivation } from '../derivation/derivation.ts'
import { zone, type Zone } from '../time/local-time.ts'
import { recordKey } from '../records/record-text.ts'
import { listValidityPeriods, type ValidityPeriod } from '../derivation/validity-periods.ts'
import type {
  CameraEntry,
  DeviceEntry,
  FactorEntry,
  FactorItem,
  GroupEntry,
  ProjectEntry,
  SiteEntry,
  SiteEntryKind,
  StationEntry,
  StructureEntry,
  ThresholdBatchEntry,
  UserEntry,
} from './site-entry.ts'

/** A structure with its type name and zone. */
export type CatalogueStructure = { entry: StructureEntry; typeName: string; zone: Zone }

/** A station with its factor and structure. */
export type CatalogueStation = {
  entry: StationEntry
  factor: FactorEntry
  structure: CatalogueStructure
  /** The indexes of the items in a record, by key. */
  itemIndex: ReadonlyMap<string, number>
  /** The items' keys as in a record text: JSON with a colon. */
  quotedKeys: readonly string[]
  /** The derivations of each item, in the order of the items; empty if it is not derived. */
  derivations: readonly (readonly Derivation[])[]
  /** The derivations by validity period. */
  validityPeriods: readonly ValidityPeriod[]
  /** The named group it belongs to. */
  group?: CatalogueGroup
  /** The stations that track frequencies of its waveforms. */
  trackers: CatalogueStation[]
}

export type CatalogueSensor = {
  entry: DeviceEntry
  /** The number of the sensor in raw records. */
  key: number
  structure: CatalogueStructure
  itemIndex: ReadonlyMap<string, number>
  quotedKeys: readonly string[]
  /** The stations that are derived from it. */
  feeds: CatalogueStation[]
}

export type CatalogueGroup = Pick<
  GroupEntry,
  'id' | 'name' | 'typeId' | 'params' | 'conversion'
> & {
  stations: CatalogueStation[]
}

type CatalogueOptions = {
  version: number
  entries: readonly SiteEntry[]
  defaultGroups: readonly { id: number; structure: number; factor: number }[]
  sensorKeys: ReadonlyMap<string, number>
}

/** One version of the site, indexed by id. Immutable: a new version is a new catalogue. */
export class Catalogue {
  readonly version: number
  readonly users: ReadonlyMap<number, UserEntry>
  readonly projects: ReadonlyMap<number, ProjectEntry>
  readonly factors: ReadonlyMap<number, FactorEntry>
  readonly structures: ReadonlyMap<number, CatalogueStructure>
  readonly stations: ReadonlyMap<number, CatalogueStation>
  readonly devices: ReadonlyMap<string, DeviceEntry>
  readonly sensors: ReadonlyMap<string, CatalogueSensor>
  readonly cameras: readonly CameraEntry[]
  readonly #groups: ReadonlyMap<string, readonly CatalogueGroup[]>
  readonly #batches: ReadonlyMap<string, readonly ThresholdBatchEntry[]>

  constructor({ version, entries, defaultGroups, sensorKeys }: CatalogueOptions) {
    this.version = version
    this.users = byId(ofKind(entries, 'user'))
    this.projects = byId(ofKind(entries, 'project'))
    this.factors = byId(ofKind(entries, 'factor'))
    const types = byId(ofKind(entries, 'structureType'))
    this.structures = new Map(
      ofKind(entries, 'structure').map((entry) => {
        const typeName = types.get(entry.type)?.name ?? ''
        return [entry.id, { entry, typeName, zone: zone(entry.timeZone) }]
      }),
    )
    this.stations = new Map(
      ofKind(entries, 'station').map((entry) => [entry.id, this.#describe(entry)]),
    )
    for (const station of this.stations.values())
      this.stations.get(station.entry.fromWaveform?.station ?? 0)?.trackers.push(station)
    this.devices = byId(ofKind(entries, 'device'))
    this.sensors = collectSensors(this, sensorKeys)
    this.cameras = ofKind(entries, 'camera')
    this.#groups = collectGroups(ofKind(entries, 'group'), this.stations.values(), defaultGroups)
    this.#batches = Map.groupBy(ofKind(entries, 'thresholdBatch'), placeKey)
  }

  /** Returns the groups of a structure's factor; the default group, if any, is last. */
  listGroups(structure: number, factor: number): readonly CatalogueGroup[] {
    return this.#groups.get(placeKey({ structure, factor })) ?? []
  }

  /** Returns the threshold batches of a structure's factor. */
  listThresholdBatches(structure: number, factor: number): readonly ThresholdBatchEntry[] {
    return this.#batches.get(placeKey({ structure, factor })) ?? []
  }

  /** Whether a user may read a structure. */
  maySee(userId: number, structure: number): boolean {
    const granted = this.users.get(userId)?.structures ?? []
    return granted === 'all' || granted.includes(structure)
  }

  #describe(entry: StationEntry): CatalogueStation {
    const factor = this.factors.get(entry.factor)
    const structure = this.structures.get(entry.structure)
    if (factor === undefined || structure === undefined)
      throw new Error(`station ${entry.id} has no factor or no structure`)
    const derivations = factor.items.map(({ key, precision }) =>
      (entry.from?.conversions ?? [])
        .filter(({ item }) => item === key)
        .map((settings) => prepareDerivation(settings, { precision, zone: structure.zone })),
    )
    const validityPeriods = listValidityPeriods(derivations, entry.from?.sensors ?? [])
    const indexed = indexItems(factor.items)
    return { entry, factor, structure, derivations, validityPeriods, ...indexed, trackers: [] }
  }
}

function ofKind<Kind extends SiteEntryKind>(entries: readonly SiteEntry[], kind: Kind) {
  return entries.filter((entry): entry is Extract<SiteEntry, { kind: Kind }> => entry.kind === kind)
}

const byId = <Entry extends { id: string | number }>(entries: readonly Entry[]) =>
  new Map<Entry['id'], Entry>(entries.map((entry) => [entry.id, entry]))

const placeKey = ({ structure, factor }: { structure: number; factor: number }): string =>
  `${structure}/${factor}`

const indexItems = (items: readonly Pick<FactorItem, 'key'>[]) => ({
  itemIndex: new Map(items.map(({ key }, index) => [key, index])),
  quotedKeys: items.map(({ key }) => recordKey(key)),
})

function collectSensors(
  { devices, stations, structures }: Catalogue,
  keys: ReadonlyMap<string, number>,
): Map<string, CatalogueSensor> {
  const sensors = new Map<string, CatalogueSensor>()
  for (const entry of devices.values()) {
    const key = keys.get(entry.id)
    const structure = structures.get(entry.structure)
    if (key === undefined || structure === undefined) continue
    sensors.set(entry.id, { entry, key, structure, ...indexItems(entry.items), feeds: [] })
  }
  for (const station of stations.values())
    for (const id of station.entry.from?.sensors ?? []) sensors.get(id)?.feeds.push(station)
  return sensors
}

function collectGroups(
  named: readonly GroupEntry[],
  stations: Iterable<CatalogueStation>,
  defaultGroups: CatalogueOptions['defaultGroups'],
): Map<string, CatalogueGroup[]> {
  const groups = new Map<number, CatalogueGroup>()
  const result = new Map<string, CatalogueGroup[]>()
  for (const entry of named) {
    const { id, name, typeId, params, conversion } = entry
    const computed = conversion === undefined ? {} : { conversion }
    const group: CatalogueGroup = { id, name, typeId, params, ...computed, stations: [] }
    groups.set(id, group)
    result.getOrInsertComputed(placeKey(entry), () => []).push(group)
  }
  const defaultIds = new Map(defaultGroups.map((group) => [placeKey(group), group.id]))
  const defaults = new Map<string, CatalogueGroup>()

  for (const station of stations) {
    const at = placeKey(station.entry)
    const group = station.entry.group === null ? defaults.get(at) : groups.get(station.entry.group)
    if (group !== undefined) {
      group.stations.push(station)
      station.group = group
      continue
    }
    const id = defaultIds.get(at) ?? 0
    defaults.set(at, {
      id,
      name: station.factor.name,
      typeId: '0',
      params: {},
      stations: [station],
    })
  }
  for (const [at, group] of defaults) result.getOrInsertComputed(at, () => []).push(group)
  return result
}
