import type { Catalogue, CatalogueStructure } from '../site/catalogue.ts'
import type { RetainedKind } from '../retention/retention-period.ts'

export const RECORD_KINDS = ['theme', 'raw'] as const

export const RETAINED_KINDS: readonly RetainedKind[] = ['theme', 'raw', 'vibration', 'traffic']

/** The structures whose records a kind's sources hold: a station's or a sensor's own, or itself. */
export function structuresOf(
  catalogue: Catalogue,
  kind: RetainedKind,
): ReadonlyMap<number, CatalogueStructure> {
  const { stations, sensors, structures } = catalogue
  switch (kind) {
    case 'theme':
    case 'vibration':
      return new Map(stations.values().map(({ entry, structure }) => [entry.id, structure]))
    case 'raw':
      return new Map(sensors.values().map(({ key, structure }) => [key, structure]))
    case 'traffic':
      return structures
  }
}
