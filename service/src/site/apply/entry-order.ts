import type { SiteEntry } from '../../domain/site/site-entry.ts'
import { structureOf } from '../check/site-context.ts'

/**
 * Whether the entries of a kind have another order than the stored ones, those of each structure for
 * themselves: structures of several files are stored among each other.
 */
export function hasNewOrder(stored: readonly SiteEntry[], wanted: readonly SiteEntry[]): boolean {
  const named = new Set(wanted.map(nameOf))
  const before = Map.groupBy(
    stored.filter((entry) => named.has(nameOf(entry))),
    placeOf,
  )
  return Map.groupBy(wanted, placeOf)
    .entries()
    .some(([place, entries]) => {
      const order = entries.map(nameOf)
      return (before.get(place) ?? []).some((entry, index) => nameOf(entry) !== order[index])
    })
}

const nameOf = ({ kind, id }: SiteEntry): string => `${kind} ${id}`

const placeOf = (entry: SiteEntry): string =>
  entry.kind === 'structure' ? entry.kind : `${entry.kind} ${structureOf(entry)}`
