import type {
  DeviceEntry,
  FactorEntry,
  SiteEntry,
  StationEntry,
} from '../../domain/site/site-entry.ts'
import type { RecordKind, StoredSite } from '../../storage/storage.ts'

/** An item of a factor, or a raw value of a device, which has no id. */
export type StoredItem = Readonly<{ id?: number; key: string; unit: string }>

/** A station or device that a change of the site keeps, and the items of its records before and after. */
export type ItemSource = Readonly<{
  kind: RecordKind
  /** The id of the station, or the key of the sensor. */
  source: number
  structure: number
  /** The id of the factor or of the device. */
  owner: number | string
  before: readonly StoredItem[]
  after: readonly StoredItem[]
}>

/** Finds the sources whose records a change of the site may give another meaning. */
export function listItemSources(
  { entries, sensorKeys }: Pick<StoredSite, 'entries' | 'sensorKeys'>,
  wanted: readonly SiteEntry[],
): ItemSource[] {
  const [before, after] = [new Declarations(entries), new Declarations(wanted)]
  const stations = before.stations.values().flatMap((station): ItemSource[] => {
    const next = after.stations.get(station.id)
    if (next === undefined) return []
    const [from, to] = [before.itemsOf(station), after.itemsOf(next)]
    const { id: source, structure, factor: owner } = station
    return areEqual(from, to)
      ? []
      : [{ kind: 'theme', source, structure, owner, before: from, after: to }]
  })
  const devices = before.devices.values().flatMap((device): ItemSource[] => {
    const next = after.devices.get(device.id)
    const source = sensorKeys.get(device.id)
    if (next === undefined || source === undefined) return []
    const { id: owner, structure, items } = device
    return areEqual(items, next.items)
      ? []
      : [{ kind: 'raw', source, structure, owner, before: items, after: next.items }]
  })
  return [...stations, ...devices]
}

/** The declarations of a site by their ids. */
class Declarations {
  readonly stations = new Map<number, StationEntry>()
  readonly devices = new Map<string, DeviceEntry>()
  readonly #factors = new Map<number, FactorEntry>()

  constructor(entries: readonly SiteEntry[]) {
    for (const entry of entries) {
      if (entry.kind === 'station') this.stations.set(entry.id, entry)
      if (entry.kind === 'device') this.devices.set(entry.id, entry)
      if (entry.kind === 'factor') this.#factors.set(entry.id, entry)
    }
  }

  itemsOf({ factor }: StationEntry): readonly StoredItem[] {
    return this.#factors.get(factor)?.items ?? []
  }
}

const areEqual = (some: readonly StoredItem[], others: readonly StoredItem[]): boolean =>
  some.length === others.length &&
  some.every((item, at) => {
    const other = others[at]
    return item.id === other?.id && item.key === other?.key && item.unit === other.unit
  })
