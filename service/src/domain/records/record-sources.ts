import type { Catalogue, CatalogueStructure } from '../site/catalogue.ts'
import type { RetainedKind } from '../retention/retained-kind.ts'

/** The kinds of records with values of items. */
export const RECORD_KINDS = ['theme', 'raw'] as const

/** The kinds that retention deletes. */
export const RETAINED_KINDS: readonly RetainedKind[] = ['theme', 'raw', 'vibration', 'traffic']

/** Returns the structure of each source of a kind: stations, sensors by key, or structures. */
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
