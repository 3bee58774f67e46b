import type { Catalogue, CatalogueStructure } from '../domain/catalogue.ts'
import type { Retained } from '../domain/retention-term.ts'
import type { RecordKind } from '../storage/storage.ts'

export const RECORD_KINDS: readonly RecordKind[] = ['theme', 'raw']

/** The structures whose records a kind's sources hold: a station's or a sensor's own, or itself. */
export function structuresOf(
  catalogue: Catalogue,
  kind: Retained,
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
