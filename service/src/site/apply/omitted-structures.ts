import type { SiteFile } from '@plumbline/contract/site'
import type { SiteEntry, UserEntry } from '../../domain/site/site-entry.ts'
import { structureOf } from '../check/site-context.ts'

/** The stored entries that a file leaves, and those of the structures that it removes. */
export type RemainingEntries = {
  left: SiteEntry[]
  removed: SiteEntry[]
  /** The users of `left` that saw a removed structure, without it. */
  narrowed: UserEntry[]
}

/** Removes the structures that are not in the list of structures of a file; a file without one has all. */
export function removeOmittedStructures(
  { structures }: Pick<SiteFile, 'structures'>,
  stored: readonly SiteEntry[],
): RemainingEntries {
  const named = structures === undefined ? undefined : new Set(structures.map(({ id }) => id))
  const isRemoved = (structure: number | null): boolean =>
    named !== undefined && structure !== null && !named.has(structure)
  const removed = stored.filter((entry) => isRemoved(structureOf(entry)))
  const narrowed: UserEntry[] = []
  const left = stored
    .filter((entry) => !isRemoved(structureOf(entry)))
    .map((entry) => {
      if (entry.kind !== 'user' || entry.structures === 'all') return entry
      const visible = entry.structures.filter((id) => !isRemoved(id))
      if (visible.length === entry.structures.length) return entry
      const narrow = { ...entry, structures: visible }
      narrowed.push(narrow)
      return narrow
    })
  return { left, removed, narrowed }
}
