import type { Catalogue, CatalogueSensor, CatalogueStation } from '../domain/site/catalogue.ts'
import type { Quality } from '../domain/quality/quality.ts'
import { showQuality } from '../domain/quality/quality-text.ts'
import { chooseTarget, type DeletionChoice } from '../deletion/deletion-target.ts'
import { RefusedError } from '../errors/refused-error.ts'
import type { RecordKind } from '../storage/storage.ts'

/** The values to mark: of a station, a sensor or a structure, of all items or of some. */
export type MarkingChoice = Omit<DeletionChoice, 'kinds'> & {
  /** Without it station and raw records. */
  kinds?: readonly RecordKind[] | undefined
  /** Keys of items. Without it all items. */
  items?: readonly string[] | undefined
  quality: Quality
}

/** Records of a station or sensor whose values are marked, and the places of the items among them. */
export type MarkedSource = Readonly<
  { places: ReadonlySet<number> } & (
    | { kind: 'raw'; of: CatalogueSensor }
    | {
        kind: 'theme'
        of: CatalogueStation
        /** Whether records that are derived from raw records are left out: those are marked. */
        withoutDerived: boolean
      }
  )
>

export type MarkingTarget = {
  structure: number
  /** Raw records first: station records are derived from them. */
  sources: readonly MarkedSource[]
  quality: Quality
  /** `station 1041: theme, strain as bad: cable cut`. */
  description: string
}

const KINDS = ['raw', 'theme'] as const

/** Finds the target of a choice in the site; refuses a choice that names none. */
export function chooseMarkingTarget(
  catalogue: Catalogue,
  { kinds, items, quality, ...choice }: MarkingChoice,
): MarkingTarget {
  const chosen = chooseTarget(catalogue, { ...choice, kinds })
  const markable = KINDS.filter((kind) => chosen.kinds.has(kind))
  const sources = markable.flatMap((kind): MarkedSource[] =>
    kind === 'raw'
      ? chosen.sensors.map((of) => ({ kind, of, places: placesOf(of, items) }))
      : chosen.stations.map((of) => ({
          kind,
          of,
          places: placesOf(of, items),
          withoutDerived: chosen.kinds.has('raw'),
        })),
  )
  for (const key of items ?? [])
    if (!sources.some(({ of }) => of.itemIndex.has(key)))
      throw new RefusedError('invalid', `${chosen.name} has no item ${JSON.stringify(key)}`)
  const what = items === undefined ? 'all items' : items.join(', ')
  return {
    structure: chosen.structure,
    sources: sources.filter(({ places }) => places.size > 0),
    quality,
    description: `${chosen.name}: ${markable.join(', ')}, ${what} as ${showQuality(quality)}`,
  }
}

function placesOf(
  { itemIndex }: CatalogueSensor | CatalogueStation,
  items: readonly string[] | undefined,
): ReadonlySet<number> {
  if (items === undefined) return new Set(itemIndex.values())
  return new Set(items.flatMap((key) => itemIndex.get(key) ?? []))
}
