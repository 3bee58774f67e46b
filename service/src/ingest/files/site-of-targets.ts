import type { Catalogue } from '../../domain/site/catalogue.ts'
import type { Zone } from '../../domain/time/local-time.ts'
import type { Target } from '../formats/mapping.ts'

/** The units of the items of a catalogue, by sensor or station and item key. */
export const unitsOf =
  (catalogue: Catalogue) =>
  (target: Target, key: string): string | undefined => {
    const items =
      target.kind === 'raw'
        ? catalogue.sensors.get(target.id)?.entry.items
        : catalogue.stations.get(target.id)?.factor.items
    return items?.find((item) => item.key === key)?.unit
  }

/** The zones of the structures of a catalogue, by sensor or station. */
export const zonesOf =
  (catalogue: Catalogue) =>
  (target: Target): Zone | undefined =>
    (target.kind === 'raw' ? catalogue.sensors.get(target.id) : catalogue.stations.get(target.id))
      ?.structure.zone
