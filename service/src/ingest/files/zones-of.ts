import type { Catalogue } from '../../domain/site/catalogue.ts'
import type { Zone } from '../../domain/time/local-time.ts'
import type { Target } from '../formats/mapping.ts'

/** Gives the clock of the structure that a sensor or a station belongs to. */
export const zonesOf =
  (catalogue: Catalogue) =>
  ({ kind, id }: Target): Zone | undefined =>
    kind === 'raw'
      ? catalogue.sensors.get(String(id))?.structure.zone
      : catalogue.stations.get(Number(id))?.structure.zone
