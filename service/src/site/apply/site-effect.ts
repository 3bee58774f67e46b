import type { Change } from './difference.ts'
import { structureOf } from '../check/site-context.ts'

/** The effect of an applied site file, for the security log. */
export type SiteEffect = {
  /** Users that were added or removed, or whose structures changed. */
  users: number[]
  /** The number of revoked applications. */
  revoked: number
  structures: number[]
}

/** The effect of changes and of the number of revoked applications. */
export function effectOf(changes: readonly Change[], revoked: number): SiteEffect {
  const accessChanges = changes.filter(({ change, fields }) => {
    return change !== 'alter' || fields.some(({ path }) => path.startsWith('structures'))
  })
  const users = accessChanges.flatMap(({ entry }) => (entry.kind === 'user' ? [entry.id] : []))
  const structures = changes.map(({ entry }) => structureOf(entry))
  return {
    users,
    revoked,
    structures: Array.from(new Set(structures)).filter((id) => id !== null),
  }
}
