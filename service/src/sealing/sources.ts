import type { Catalogue, CatalogueStructure } from '../domain/catalogue.ts'
import type { RecordKind } from '../storage/storage.ts'

export const RECORD_KINDS: readonly RecordKind[] = ['theme', 'raw']

/** The structures whose records a kind's sources hold: a station's or a sensor's own. */
export function structuresOf(
  catalogue: Catalogue,
  kind: RecordKind,
): ReadonlyMap<number, CatalogueStructure> {
  const sources =
    kind === 'theme'
      ? catalogue.stations.values().map(({ entry, structure }) => [entry.id, structure] as const)
      : catalogue.sensors.values().map(({ key, structure }) => [key, structure] as const)
  return new Map(sources)
}
