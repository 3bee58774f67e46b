import type { SiteEntry } from '../../domain/site/site-entry.ts'
import type { Change } from './difference.ts'

/** The entries of the site after the changes of a difference. */
export function siteAfter(stored: readonly SiteEntry[], changes: readonly Change[]): SiteEntry[] {
  const after = new Map(stored.map((entry) => [nameOf(entry), entry]))
  for (const { change, entry } of changes)
    if (change === 'remove') after.delete(nameOf(entry))
    else after.set(nameOf(entry), entry)
  return [...after.values()]
}

const nameOf = ({ kind, id }: SiteEntry): string => `${kind} ${id}`
